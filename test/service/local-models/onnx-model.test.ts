import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { addModel, localModel, onnxModel } from '../../../service/local-models/index.ts'
import { publishedJar } from '../../encoder/published-jar.ts'
import { bertAsOnnx } from '../../encoder/quantized-bert.ts'
import { useModelFolders } from './models.ts'

const models = useModelFolders()
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

/** Registers what is closed after the test. */
function closed<Opened extends { close(): Promise<void> }>(one: Opened): Opened {
  opened.push(one)
  return one
}

/** The package takes 288 MB, so a clone does not have it: `npm install --no-save --ignore-scripts onnxruntime-node@1`. */
const isInstalled = has('onnxruntime-node')

function has(name: string): boolean {
  try {
    return createRequire(import.meta.url).resolve(name) !== ''
  } catch {
    return false
  }
}

const jar = publishedJar('all-minilm-l6-v2-q')

/** Adds the tiny model as an ONNX file that the encoder can read. */
async function addTiny(): Promise<void> {
  const source = models.copyOf('bert', 'tiny')
  rmSync(join(source, 'model.safetensors'))
  writeFileSync(join(source, 'model.onnx'), bertAsOnnx())
  await addModel(source, { folder: models.folder, languages: ['en'] })
}

const signal = new AbortController().signal

describe('a model that onnxruntime runs', () => {
  it('has the languages of the added model, and another identity than the same model of the encoder', async () => {
    const { folder } = models
    await addTiny()
    const model = closed(onnxModel('tiny', { folder }))
    expect(model).toMatchObject({ languages: ['en'], isLocal: true, passageUnits: 16_384 })
    expect(model.model).toMatch(/^tiny@onnx-[0-9a-f]{64}$/)
    expect(model.model).not.toBe(closed(localModel('tiny', { folder })).model)
    expect(closed(onnxModel('tiny', { folder, languages: true })).languages).toBeUndefined()
  })

  it('refuses a model without an ONNX file, and names the one that can run it', async () => {
    const { folder } = models
    await addModel(models.copyOf('bert'), { folder })
    const message = 'the model bert has no ONNX file, which onnxruntime needs: use local:bert'
    expect(() => onnxModel('bert', { folder })).toThrow(
      expect.objectContaining({ code: 'ASOF_MODEL_INVALID', message }),
    )
  })

  it('refuses files that were changed after they were added', async () => {
    const { folder } = models
    await addTiny()
    const model = closed(onnxModel('tiny', { folder }))
    const config = join(folder, 'tiny/config.json')
    writeFileSync(config, `${readFileSync(config, 'utf8')}\n`)
    await expect(model.load()).rejects.toMatchObject({
      code: 'ASOF_MODEL_INVALID',
      message: expect.stringContaining('are not those that were added'),
    })
  })

  it.skipIf(isInstalled)('says how to install the package that is missing', async () => {
    await addTiny()
    const model = closed(onnxModel('tiny', { folder: models.folder }))
    await expect(model.embed(['the cat'], { kind: 'query', signal })).rejects.toMatchObject({
      code: 'ASOF_PACKAGE_MISSING',
      message: expect.stringContaining('Run: npm install --ignore-scripts onnxruntime-node@1'),
    })
  })
})

describe.skipIf(!isInstalled || !existsSync(jar))('all-MiniLM-L6-v2, where onnxruntime-node and the jar are', () => {
  it('has vectors of length 1 near those of the encoder, of queries and of passages', async () => {
    const { folder } = models
    await addModel(jar, { folder })
    const [fast, exact] = [closed(onnxModel('minilm', { folder })), closed(localModel('minilm', { folder }))]
    const page = `Trains\n${'The night train to Lisbon leaves at nine in the evening. '.repeat(30)}`
    for (const [kind, texts] of [
      ['query', ['a train to Portugal', 'how do I get my money back']],
      ['passage', [page, 'Bread\nFlour, water and salt.']],
    ] as const) {
      const [own, other] = [await exact.embed(texts, { kind, signal }), await fast.embed(texts, { kind, signal })]
      for (const [i, vector] of other.entries()) {
        expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
        expect(vector.reduce((sum, value, j) => sum + value * own[i]![j]!, 0)).toBeGreaterThan(0.99)
      }
    }
  })

  it('gives no text the vector of another one whose caller has left', async () => {
    const { folder } = models
    await addModel(jar, { folder })
    const model = closed(onnxModel('minilm', { folder }))
    const expected = await model.embed(['a train to Portugal'], { kind: 'query', signal })
    const stop = new AbortController()
    const left = model.embed(['bread '.repeat(200)], { kind: 'query', signal: stop.signal })
    const waiting = model.embed(['a train to Portugal'], { kind: 'query', signal })
    const leaving = Promise.allSettled([left])
    // Then the thread has the first text.
    await setImmediate()
    stop.abort(new Error('too late'))
    expect(await waiting).toEqual(expected)
    await leaving
    await expect(model.embed(['bread'], { kind: 'query', signal: stop.signal })).rejects.toThrow('too late')
  })

  it('rejects texts that wait when it is closed', async () => {
    const { folder } = models
    await addModel(jar, { folder })
    const model = onnxModel('minilm', { folder })
    await model.load()
    const texts = Array.from({ length: 50 }, (_, i) => `text ${i}`)
    const waiting = expect(model.embed(texts, { kind: 'query', signal })).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    await model.close()
    await waiting
    await expect(model.embed(texts, { kind: 'query', signal })).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
  })
})
