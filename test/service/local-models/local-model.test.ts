import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { open } from '../../../core/index.ts'
import { Encoder } from '../../../encoder/index.ts'
import { addModel, type LocalModel, type LocalModelOptions, localModel } from '../../../service/local-models/index.ts'
import { useModelFolders } from './models.ts'

const models = useModelFolders()
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const each of opened.splice(0).reverse()) await each.close()
})

async function added(options: LocalModelOptions = {}): Promise<LocalModel> {
  const { folder } = models
  await addModel(models.copyOf('bert'), { folder, name: 'tiny' })
  return use(options)
}

function use(options: LocalModelOptions = {}): LocalModel {
  const model = localModel('tiny', { folder: models.folder, ...options })
  opened.push(model)
  return model
}

/** The `threadId` of a thread that has ended. */
const ENDED = -1

/** Returns the threads that start meanwhile. */
async function threadsOf(act: () => Promise<unknown>): Promise<Worker[]> {
  const threads: Worker[] = []
  const collect = (worker: Worker): void => {
    threads.push(worker)
  }
  process.on('worker', collect)
  try {
    await act()
    return threads
  } finally {
    process.off('worker', collect)
  }
}

const call = { kind: 'passage', signal: new AbortController().signal } as const
const texts = ['Cats\nthe cat sat on the mat', 'the dog sat on the log']

describe('a local model', () => {
  it('has the vectors and the identity of its encoder, with any number of threads', async () => {
    const [one, three] = [await added(), use({ threads: 3 })]
    const encoder = await Encoder.open({ path: models.copyOf('bert') })
    opened.push(encoder)
    expect(one.model).toBe(encoder.model)
    expect(one.passageUnits).toBe(encoder.passageUnits)
    const expected = await encoder.embed(texts, call)
    expect(await one.embed(texts, call)).toEqual(expected)
    expect(await three.embed(texts, call)).toEqual(expected)
  })

  it('starts no thread before its first text', async () => {
    const model = await added()
    const before = await threadsOf(async () => {
      const engine = await open(':memory:', { embed: use(), searchThreads: 0 })
      opened.push(engine)
      await engine.search('the cat', { mode: 'realtime' })
    })
    expect(before).toEqual([])
    expect(await threadsOf(() => model.embed(texts, call))).not.toEqual([])
  })

  it('can be loaded before its first text', async () => {
    const model = await added()
    expect(await threadsOf(() => model.load())).toHaveLength(1)
    expect(await threadsOf(() => model.load())).toEqual([])
    expect(await model.embed(texts, call)).toHaveLength(2)
    await model.close()
    await expect(model.load()).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
  })

  it('has the languages that were recorded, or those that the caller names', async () => {
    const { folder } = models
    await addModel(models.copyOf('bert'), { folder, name: 'tiny', languages: ['en'] })
    expect(use().languages).toEqual(['en'])
    expect(use({ languages: ['de'] }).languages).toEqual(['de'])
    expect(use({ languages: true }).languages).toBeUndefined()
  })

  it('is found in the folder that ASOF_MODELS names', async () => {
    await added()
    vi.stubEnv('ASOF_MODELS', models.folder)
    expect(localModel('tiny').model).toMatch(/^bert@[0-9a-f]{64}$/)
    vi.stubEnv('ASOF_MODELS', join(models.folder, 'none'))
    expect(() => localModel('tiny')).toThrow(/there is no model tiny in .*none[.] Add it by: asof model add FILE/)
  })

  it.each([0, 1.5, 65])('refuses %d threads', async threads => {
    await added()
    expect(() => use({ threads })).toThrow(expect.objectContaining({ code: 'ASOF_INVALID_OPTION' }))
  })

  it('refuses files that were changed after they were added, and tries again with the next text', async () => {
    const model = await added()
    const file = join(models.folder, 'tiny', 'config.json')
    const whole = readFileSync(file)
    writeFileSync(file, Buffer.concat([whole, Buffer.from('\n')]))
    await expect(model.embed(texts, call)).rejects.toMatchObject({
      code: 'ASOF_MODEL_INVALID',
      message: expect.stringContaining('makes other vectors than when it was added'),
    })
    writeFileSync(file, whole)
    expect(await model.embed(texts, call)).toHaveLength(2)
  })

  it('rejects texts once it is closed, also those that wait for it to load', async () => {
    const model = await added()
    const waiting = expect(model.embed(texts, call)).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    await model.close()
    await waiting
    await expect(model.embed(texts, call)).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    await model.close()
  })

  it('ends its threads when it is closed', async () => {
    const model = await added()
    const threads = await threadsOf(() => model.embed(texts, call))
    expect(threads.some(({ threadId }) => threadId !== ENDED)).toBe(true)
    await model.close()
    expect(threads.every(({ threadId }) => threadId === ENDED)).toBe(true)
  })
})

describe('an engine with a local model', () => {
  const page = (i: number, text: string, acquiredAt: string) => ({ url: `https://example.com/${i}`, text, acquiredAt })
  const before = [
    page(1, 'the cat sat on the mat', '2025-01-01'),
    page(2, 'the dog sat on the log', '2025-01-02'),
    page(3, 'a search engine finds pages', '2025-01-03'),
  ]
  const after = [page(1, 'the cat has left', '2025-03-01'), page(4, 'the cat and the dog', '2025-03-02')]

  it('answers as of an instant as an engine that was never given later pages', async () => {
    const embed = await added()
    const whole = await open(':memory:', { embed, searchThreads: 0 })
    const part = await open(':memory:', { embed, searchThreads: 0 })
    opened.push(whole, part)
    await whole.add([...before, ...after])
    await part.add(before)
    expect((await whole.stats()).vectors).toBe(5)
    const ask = { mode: 'pro', queryTime: '2025-02-01' } as const
    const [early, late] = [await whole.search('the cat sat', ask), await part.search('the cat sat', ask)]
    expect(early.warning).toBeUndefined()
    expect(early.receipt.vectors?.model).toBe(embed.model)
    expect(early.results.map(({ url, score }) => [url, score])).toEqual(
      late.results.map(({ url, score }) => [url, score]),
    )
    const now = await whole.search('the cat sat', { mode: 'pro' })
    expect(now.results.map(({ url }) => url)).not.toEqual(early.results.map(({ url }) => url))
  })

  it('embeds more of a page than a model at an endpoint reads', async () => {
    const embed = await added()
    const read: string[] = []
    const observed = {
      ...facts(embed),
      embed: (texts: readonly string[], options: Parameters<LocalModel['embed']>[1]) => {
        read.push(...texts)
        return embed.embed(texts, options)
      },
    }
    const engine = await open(':memory:', { embed: observed, searchThreads: 0 })
    opened.push(engine)
    await engine.add([{ url: 'https://example.com/', text: 'the cat sat on the mat '.repeat(1000) }])
    expect(read.map(({ length }) => length)).toEqual([16_384])
    expect(await engine.embed()).toMatchObject({ embedded: 0 })
  })
})

function facts({ model, isLocal, passageUnits }: LocalModel): Pick<LocalModel, 'model' | 'isLocal' | 'passageUnits'> {
  return { model, isLocal, passageUnits }
}
