import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import {
  addModel,
  checkModel,
  localModel,
  modelNames,
  readAddedRecord,
  readModelRecord,
} from '../../../service/local-models/index.ts'
import { publishedJar } from '../../encoder/published-jar.ts'
import { useModelFolders } from './models.ts'

const models = useModelFolders()
const invalid = (message: RegExp) =>
  expect.objectContaining({ code: 'ASOF_MODEL_INVALID', message: expect.stringMatching(message) })

describe('adding a model', () => {
  it('copies its files, and records what the encoder makes of them', async () => {
    const { folder } = models
    const source = models.copyOf('bert')
    const added = await addModel(source, { folder, languages: ['en'], queryPrefix: 'query: ' })
    expect(added).toMatchObject({ name: 'bert', path: join(folder, 'bert'), isKnown: false, isNew: true })
    expect(added.record).toMatchObject({
      model: 'bert',
      architecture: 'bert',
      dimensions: 32,
      pooling: 'mean',
      passageUnits: 16_384,
      languages: ['en'],
      queryPrefix: 'query: ',
      passagePrefix: '',
    })
    expect(readdirSync(folder)).toEqual(['bert'])
    expect(readdirSync(added.path).sort()).toEqual([
      'asof-model.json',
      'config.json',
      'model.safetensors',
      'tokenizer.json',
    ])
    for (const { name, bytes } of added.record.files) {
      expect(readFileSync(join(added.path, name)).equals(readFileSync(join(source, name)))).toBe(true)
      expect(statSync(join(source, name)).size).toBe(bytes)
    }
    expect(readModelRecord('bert', folder)).toEqual(added.record)
    expect(await checkModel('bert', folder)).toEqual([])
  })

  it('takes the file of the weights for its folder, and the names of a folder and of its license', async () => {
    const { folder } = models
    const source = models.copyOf('modernbert', 'My Model v2')
    writeFileSync(
      join(source, 'README.md'),
      '---\r\nlanguage: en\r\nlicense: mit\r\n---\r\n# A model\r\nlicense: other\r\n',
    )
    const { name, record } = await addModel(join(source, 'model.safetensors'), { folder })
    expect(name).toBe('my-model-v2')
    expect(record).toMatchObject({ model: 'My Model v2', architecture: 'modernbert', license: 'mit' })
    expect(record).not.toMatchObject({ languages: expect.anything() })
  })

  it('records what the encoder makes of a model that scores texts', async () => {
    const { folder } = models
    const added = await addModel(models.copyOf('bert-classifier', 'reader'), { folder })
    expect(added).toMatchObject({ name: 'reader', isKnown: false, isNew: true })
    expect(added.record).toMatchObject({ kind: 'reranker', model: 'reader', architecture: 'bert' })
    expect(readAddedRecord('reader', folder)).toEqual(added.record)
    expect(await checkModel('reader', folder)).toEqual([])
    writeFileSync(join(added.path, 'asof-model.json'), JSON.stringify({ ...added.record, proof: 'other' }))
    expect(await checkModel('reader', folder)).toEqual([expect.stringMatching(/test texts differs/)])
  })

  it.each([{ languages: ['en'] }, { queryPrefix: 'query: ' }, { passagePrefix: 'passage: ' }])(
    'refuses %j for a model that scores texts, where it would have no effect',
    async options => {
      const { folder } = models
      const field = Object.keys(options)[0]
      await expect(addModel(models.copyOf('bert-classifier'), { folder, ...options })).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        details: { field },
      })
      expect(modelNames(folder)).toEqual([])
    },
  )

  it('has the languages of models that are known by their names', async () => {
    const { folder } = models
    const source = models.copyOf('bert', 'multi-qa-tiny')
    expect((await addModel(source, { folder })).record).toMatchObject({ languages: ['en'] })
    const { record } = await addModel(source, { folder, name: 'all', languages: true })
    expect(record).not.toMatchObject({ languages: expect.anything() })
  })

  it('changes nothing if the same model is there, and refuses another one of the same name', async () => {
    const { folder } = models
    const source = models.copyOf('bert')
    const first = await addModel(source, { folder })
    expect(await addModel(source, { folder })).toEqual({ ...first, isNew: false })
    await expect(addModel(source, { folder, languages: ['de'] })).rejects.toEqual(invalid(/has another model/))
    await expect(addModel(models.copyOf('modernbert'), { folder, name: 'bert' })).rejects.toEqual(
      invalid(/choose another name/),
    )
    expect(readModelRecord('bert', folder)).toEqual(first.record)
    expect(readdirSync(folder)).toEqual(['bert'])
  })

  it.each([
    ['a model that sorts texts into classes', () => models.copyOf('modernbert-classifier'), /into 3 classes/],
    ['a folder that is not there', () => join(models.folder, 'none'), /none does not exist$/],
    ['a file that is no model', () => join(models.copyOf('bert'), 'tokenizer.json'), /is no model/],
    ['an archive with other files under the names of a known model', () => wrongArchive(), /SHA-256 differs/],
    ['weights that are cut off', () => cutWeights(), /./],
    ['a folder without a tokenizer', () => withoutTokenizer(), /tokenizer[.]json/],
  ])('refuses %s, and leaves nothing behind', async (_, source, message) => {
    const { folder } = models
    await expect(addModel(source(), { folder })).rejects.toEqual(invalid(message))
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
  })

  it.each(['', '..', 'a/b', 'A', '.hidden', 'a.', 'con', 'nul.txt', 'com1', 'x'.repeat(65)])(
    'refuses the name %j',
    async name => {
      const { folder } = models
      await expect(addModel(models.copyOf('bert'), { folder, name })).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
      })
      expect(modelNames(folder)).toEqual([])
    },
  )

  it.each(['queryPrefix', 'passagePrefix'])('refuses a %s that leaves no room for texts', async field => {
    const { folder } = models
    const refusal = { code: 'ASOF_INVALID_OPTION', details: { field } }
    const adding = addModel(models.copyOf('bert'), { folder, [field]: 'x'.repeat(1001) })
    await expect(adding).rejects.toMatchObject(refusal)
    expect(readdirSync(folder)).toEqual([])
  })

  it('makes a model that can be used under the name of an archive', async () => {
    const { folder } = models
    await addModel(models.copyOf('bert', 'source.jar'), { folder, name: 'my.zip' })
    expect(await checkModel('my.zip', folder)).toEqual([])
    const model = localModel('my.zip', { folder })
    await model.load()
    await model.close()
  })

  it.each([
    ['a folder', mkdirSync],
    ['a pipe', pipe],
  ])('needs no README: not if it is %s', async (_, make) => {
    const { folder } = models
    const source = models.copyOf('bert')
    make(join(source, 'README.md'))
    expect((await addModel(source, { folder })).record.license).toBeUndefined()
  })

  it.each([[[]], [[5]], [['']], [['!']], [[null]]])('refuses the languages %j', async languages => {
    const { folder } = models
    const refusal = { code: 'ASOF_INVALID_OPTION', details: { field: 'languages' } }
    const given = { folder, languages: languages as string[] }
    await expect(addModel(models.copyOf('bert'), given)).rejects.toMatchObject(refusal)
    await addModel(models.copyOf('bert'), { folder })
    expect(() => localModel('bert', given)).toThrow(expect.objectContaining(refusal))
  })

  it.each([
    ['a file', (place: string) => writeFileSync(place, '')],
    ['a folder without a record', (place: string) => mkdirSync(join(place, 'other'), { recursive: true })],
    [
      'a folder with a damaged record',
      (place: string) => mkdirSync(join(place, 'asof-model.json'), { recursive: true }),
    ],
  ])('says what is in its place if it is %s', async (_, make) => {
    const { folder } = models
    mkdirSync(folder)
    make(join(folder, 'bert'))
    await expect(addModel(models.copyOf('bert'), { folder })).rejects.toEqual(invalid(/no model that can be used/))
    expect(readdirSync(folder)).toEqual(['bert'])
  })

  it('says that models cannot be kept in a file', async () => {
    const source = models.copyOf('bert')
    const folder = join(source, 'config.json')
    const refusal = { code: 'ASOF_INVALID_OPTION', details: { field: 'folder' } }
    for (const place of [folder, join(folder, 'below')])
      await expect(addModel(source, { folder: place })).rejects.toMatchObject(refusal)
  })

  it('twice at the same time adds it once', async () => {
    const { folder } = models
    const source = models.copyOf('bert')
    const added = await Promise.all([addModel(source, { folder }), addModel(source, { folder })])
    expect(added.map(({ isNew }) => isNew).sort()).toEqual([false, true])
    expect(readdirSync(folder)).toEqual(['bert'])
  })

  it('deletes the copies of processes that were killed, but no copy of today', async () => {
    const { folder } = models
    for (const name of ['.adding-old', '.adding-new', '.other', 'model'])
      mkdirSync(join(folder, name), { recursive: true })
    const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60
    for (const name of ['.adding-old', '.other', 'model']) utimesSync(join(folder, name), twoDaysAgo, twoDaysAgo)
    await addModel(models.copyOf('bert'), { folder })
    expect(readdirSync(folder).sort()).toEqual(['.adding-new', '.other', 'bert', 'model'])
  })
})

function pipe(path: string): void {
  execFileSync('mkfifo', [path])
}

function wrongArchive(): string {
  const source = models.copyOf('bert')
  const file = join(source, 'minilm.jar')
  writeFileSync(
    file,
    zipSync({
      'all-minilm-l6-v2-q.onnx': readFileSync(join(source, 'model.safetensors')),
      'all-minilm-l6-v2-q-tokenizer.json': readFileSync(join(source, 'tokenizer.json')),
    }),
  )
  return file
}

function cutWeights(): string {
  const source = models.copyOf('bert')
  const file = join(source, 'model.safetensors')
  writeFileSync(file, readFileSync(file).subarray(0, 20_000))
  return source
}

function withoutTokenizer(): string {
  const source = models.copyOf('bert')
  rmSync(join(source, 'tokenizer.json'))
  return source
}

describe('checking a model', () => {
  const added = async (): Promise<string> => (await addModel(models.copyOf('bert'), { folder: models.folder })).path

  it.each([
    ['a file that is missing', 'config.json', undefined, ['config.json is missing']],
    [
      'a file with another byte',
      'tokenizer.json',
      ' ',
      ['tokenizer.json is not the file that was added: its SHA-256 differs'],
    ],
  ])('finds %s', async (_, name, appended, faults) => {
    const file = join(await added(), name)
    if (appended === undefined) rmSync(file)
    else writeFileSync(file, readFileSync(file, 'utf8') + appended)
    expect(await checkModel('bert', models.folder)).toEqual(faults)
  })

  it.each([
    ['another vector of the test sentence', { proof: '0'.repeat(64) }, /test texts differs/],
    ['another identity', { identity: '0'.repeat(64) }, /other numbers/],
    ['a field that is missing', { proof: undefined }, /is damaged: proof is required/],
    ['an unknown pooling', { pooling: 'max' }, /is damaged: pooling/],
    ['languages that are none', { languages: [5] }, /is damaged: languages/],
    ['a file that would be outside', { files: [{ name: '../x.json', bytes: 1, sha256: '' }] }, /is damaged/],
  ])('finds a record with %s', async (_, change, fault) => {
    const file = join(await added(), 'asof-model.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...change }))
    const faults = await checkModel('bert', models.folder)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatch(fault)
  })

  it.each([
    ['a folder', mkdirSync],
    ['a pipe', pipe],
  ])('finds a file and a record that are %s', async (_, make) => {
    const path = await added()
    for (const [name, fault] of [
      ['config.json', /^config.json is not a file/],
      ['asof-model.json', /asof-model.json (?:cannot be read|is damaged)/],
    ] as const) {
      rmSync(join(path, name))
      make(join(path, name))
      expect(await checkModel('bert', models.folder)).toEqual([expect.stringMatching(fault)])
    }
  })

  it('does not name a folder without a record as a model that there is', async () => {
    mkdirSync(join(models.folder, 'empty'), { recursive: true })
    expect(await checkModel('empty', models.folder)).toEqual([
      expect.stringMatching(/there is no model empty .* FILE\.$/),
    ])
  })

  it('says which models there are if there is none of the name', async () => {
    await added()
    expect(await checkModel('minilm', models.folder)).toEqual([
      expect.stringMatching(/there is no model minilm .* The models there are bert/),
    ])
  })

  it('is not misled by the name of the folder', async () => {
    renameSync(await added(), join(models.folder, 'other'))
    expect(await checkModel('other', models.folder)).toEqual([])
  })
})

describe.each([
  ['minilm', 'all-MiniLM-L6-v2-q', 'Apache-2.0', 'all-minilm-l6-v2-q'],
  ['bge-small', 'bge-small-en-v1.5-q', 'MIT', 'bge-small-en-v15-q'],
  ['e5-small', 'e5-small-v2-q', 'MIT', 'e5-small-v2-q'],
] as const)('the known model %s', (name, model, license, jar) => {
  it.skipIf(!existsSync(publishedJar(jar)))('has its files, its license and the vectors of every machine', async () => {
    const { folder } = models
    const added = await addModel(publishedJar(jar), { folder })
    expect(added).toMatchObject({ name, isKnown: true, record: { model, license, languages: ['en'], dimensions: 384 } })
    expect(await checkModel(name, folder)).toEqual([])
    // A folder with the same files is the same model.
    expect(await addModel(added.path, { folder })).toEqual({ ...added, isNew: false })
  })
})
