import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { open } from '../../../core/index.ts'
import { addModel, hasPair, localModel, ModelPair, type VectorSource } from '../../../service/local-models/index.ts'
import { PAIR_DIMENSIONS, PairAxes } from '../../../service/local-models/pair-axes.ts'
import { base64 } from '../../../service/local-models/pair-constants.generated.ts'
import { constantsHash, pairedModels } from '../../../service/local-models/pair-identity.generated.ts'
import { publishedJar } from '../../encoder/published-jar.ts'
import { useModelFolders } from './models.ts'

const models = useModelFolders()
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

/** A vector of length 1 whose components are powers of a fraction, so that no function of the machine makes them. */
function powers(fraction: number): Float32Array {
  const values = Float64Array.from({ length: 384 }, () => 0)
  let square = 0
  for (let j = 0, value = 1; j < values.length; j++) {
    value = (value * fraction) % 1
    values[j] = value - 0.5
    square += values[j]! * values[j]!
  }
  const length = Math.sqrt(square)
  return Float32Array.from(values, value => value / length)
}

const hashOf = (vectors: readonly Float32Array[]): string => {
  const hash = createHash('sha256')
  for (const vector of vectors) hash.update(new Uint8Array(vector.slice().buffer))
  return hash.digest('hex')
}

const product = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, j) => sum + value * b[j]!, 0)

describe('the constants of the pair', () => {
  it('are those that its identity names, in 16 bits', () => {
    const bytes = Buffer.from(base64, 'base64')
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(constantsHash)
    expect(bytes.length).toBe(2 * (2 * 768 + 384 * 768))
  })

  it('have orthogonal axes of length 1', () => {
    const bytes = Buffer.from(base64, 'base64')
    const axes = Array.from({ length: 384 }, (_, i) =>
      Float32Array.from({ length: 768 }, (_, j) => bytes.readInt16LE(2 * (2 * 768 + i * 768 + j)) / 2 ** 15),
    )
    for (const i of [0, 1, 100, 383])
      for (const [j, axis] of axes.entries()) expect(product(axes[i]!, axis)).toBeCloseTo(i === j ? 1 : 0, 3)
  })
})

describe('a joined vector', () => {
  it('has length 1, and the same bits on every machine', async () => {
    const axes = await PairAxes.load()
    const made = (['passage', 'query'] as const).map(kind => axes.joined(kind, powers(3.7), powers(5.3)))
    for (const vector of made) {
      expect(vector).toHaveLength(PAIR_DIMENSIONS)
      expect(product(vector, vector)).toBeCloseTo(1, 6)
    }
    expect(hashOf(made)).toBe('9f2cc4cabbb37ea20bf5fca741dc7d3048df9dd5a9f09044f4d3c3f6a90d6e91')
  })

  it('depends on both models, and on whether the text is a query', async () => {
    const axes = await PairAxes.load()
    const [one, two] = [powers(3.7), powers(5.3)]
    const joined = axes.joined('passage', one, two)
    expect(axes.joined('passage', one, one)).not.toEqual(joined)
    expect(axes.joined('passage', two, two)).not.toEqual(joined)
    expect(axes.joined('query', one, two)).not.toEqual(joined)
  })

  it('refuses vectors with another number of dimensions', async () => {
    const axes = await PairAxes.load()
    expect(() => axes.joined('query', powers(3.7), new Float32Array(256))).toThrow('256 dimensions')
  })
})

describe('the models of a pair', () => {
  const source = (model: string, fraction: number): VectorSource & { isClosed: boolean } => ({
    model,
    isClosed: false,
    embed: async texts => texts.map(text => powers(fraction + text.length / 16)),
    async close() {
      this.isClosed = true
    },
  })
  const call = { kind: 'passage', signal: new AbortController().signal } as const

  it('both embed each text, and are both closed', async () => {
    const parts = [source(pairedModels[0], 3.7), source(pairedModels[1], 5.3)] as const
    const pair = await ModelPair.open(parts)
    const axes = await PairAxes.load()
    const texts = ['one', 'fourteen']
    const [first, second] = [await parts[0].embed(texts, call), await parts[1].embed(texts, call)]
    expect(await pair.embed(texts, call)).toEqual(texts.map((_, i) => axes.joined('passage', first[i]!, second[i]!)))
    await pair.close()
    expect(parts.map(({ isClosed }) => isClosed)).toEqual([true, true])
  })

  it('must be those that its constants were computed for, in their order', async () => {
    const [first, second] = [source(pairedModels[0], 3.7), source(pairedModels[1], 5.3)]
    for (const parts of [
      [second, first],
      [first, source('bge-small-en-v1.5-q@other', 5.3)],
    ] as const)
      await expect(ModelPair.open(parts)).rejects.toMatchObject({ code: 'ASOF_MODEL_INVALID' })
  })
})

describe('the local model minilm+bge-small', () => {
  /** Records a model without its files, which are read only for the first text. */
  function record(name: string, model: string): void {
    const [named = '', identity = ''] = model.split('@')
    const facts = {
      model: named,
      identity,
      architecture: 'bert',
      dimensions: 384,
      pooling: 'mean',
      passageUnits: 16_384,
      queryPrefix: '',
      passagePrefix: '',
      files: [],
      proof: '',
    }
    mkdirSync(join(models.folder, name), { recursive: true })
    writeFileSync(join(models.folder, name, 'asof-model.json'), JSON.stringify(facts))
  }
  const pair = (options = {}) => localModel('minilm+bge-small', { folder: models.folder, ...options })

  it('has its own identity, and knows English', () => {
    record('minilm', pairedModels[0])
    record('bge-small', pairedModels[1])
    expect(pair().model).toBe('minilm+bge-small@8a5e154f47ec339c6210e2d0c1da66419d4898b6676f596bd43bd6c3fdb12614')
    expect(pair()).toMatchObject({ languages: ['en'], passageUnits: 16_384, isLocal: true })
    expect(pair({ languages: ['de'] }).languages).toEqual(['de'])
    expect(pair({ languages: true }).languages).toBeUndefined()
  })

  it('needs both models as they were published', () => {
    expect(hasPair(models.folder)).toBe(false)
    record('minilm', pairedModels[0])
    expect(hasPair(models.folder)).toBe(false)
    expect(() => pair()).toThrow(/there is no model bge-small in .*[.] Add it by: asof model add FILE/)
    record('bge-small', 'mine@0123')
    expect(() => pair()).toThrow('needs the published model bge-small, but another one has this name: it is mine@0123')
    expect(hasPair(models.folder)).toBe(false)
    record('bge-small', pairedModels[1])
    expect(hasPair(models.folder)).toBe(true)
  })
})

const jars = [publishedJar('all-minilm-l6-v2-q'), publishedJar('bge-small-en-v15-q')]

describe.skipIf(!jars.every(jar => existsSync(jar)))('the pair, where Maven has the jars of both models', () => {
  const texts = [
    'Cystic fibrosis\nPatients with cystic fibrosis have thick mucus.',
    'how do I reset my password',
    'La cathédrale de Strasbourg',
  ]

  it('has the same bits on every machine, with any number of threads, and ranks by meaning as of an instant', async () => {
    const { folder } = models
    for (const jar of jars) expect(await addModel(jar, { folder })).toMatchObject({ isKnown: true, isNew: true })
    const [one, two] = [1, 2].map(threads => localModel('minilm+bge-small', { folder, threads }))
    opened.push(one!, two!)
    const { signal } = new AbortController()
    const made = await one!.embed(texts, { kind: 'passage', signal })
    const asked = await one!.embed(texts, { kind: 'query', signal })
    expect(await two!.embed(texts, { kind: 'passage', signal })).toEqual(made)
    expect(hashOf([...made, ...asked])).toBe('9d72dd46c8332899611a371f6f66be02feb65ed39eae8187f6d34d75dd3f785f')

    const page = (i: number, text: string, acquiredAt: string) => ({
      url: `https://example.com/${i}`,
      text,
      acquiredAt,
    })
    const pages = [
      page(1, 'The physician examined the ill child and prescribed rest.', '2025-01-01'),
      page(2, 'The train leaves the station at nine in the evening.', '2025-01-02'),
      page(3, 'Bread is baked from flour, water and salt.', '2025-01-03'),
    ]
    const [whole, part] = [
      await open(':memory:', { embed: one!, searchThreads: 0 }),
      await open(':memory:', { embed: one!, searchThreads: 0 }),
    ]
    opened.push(whole, part)
    await part.add(pages)
    await whole.add([...pages, page(4, 'A doctor treats sick kids.', '2025-03-01')])
    const ask = { mode: 'pro', queryTime: '2025-02-01' } as const
    const [early, late] = [
      await whole.search('doctor for sick kids', ask),
      await part.search('doctor for sick kids', ask),
    ]
    expect(early.results[0]?.url).toBe('https://example.com/1')
    expect(early.receipt.vectors?.model).toBe(`${one!.model} (en)`)
    expect(early.results.map(({ url, score }) => [url, score])).toEqual(
      late.results.map(({ url, score }) => [url, score]),
    )
  })
})
