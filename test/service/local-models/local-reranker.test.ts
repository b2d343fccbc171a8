import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { CrossEncoder } from '../../../encoder/index.ts'
import { addModel, type LocalRerankerOptions, localModel, localReranker } from '../../../service/local-models/index.ts'
import { useModelFolders } from './models.ts'

const models = useModelFolders()
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const each of opened.splice(0).reverse()) await each.close()
})

/** Registers what is closed after the test. */
function closed<Opened extends { close(): Promise<void> }>(one: Opened): Opened {
  opened.push(one)
  return one
}

async function added(options: LocalRerankerOptions = {}) {
  const { folder } = models
  await addModel(models.copyOf('bert-classifier'), { folder, name: 'reader' })
  return closed(localReranker('reader', { folder, ...options }))
}

const call = { signal: new AbortController().signal }
const texts = ['Cats\nthe cat sat on the mat', 'the dog sat on the log', 'a search engine finds pages']

describe('a local reranker', () => {
  it('has the scores and the identity of its encoder, with any number of threads', async () => {
    const [two, one] = [await added(), closed(localReranker('reader', { folder: models.folder, threads: 1 }))]
    const encoder = closed(await CrossEncoder.open({ path: models.copyOf('bert-classifier') }))
    expect(two.model).toBe(encoder.model)
    const expected = await encoder.rerank('the cat', texts)
    expect(new Set(expected).size).toBe(texts.length)
    expect(await two.rerank('the cat', texts, call)).toEqual(expected)
    expect(await one.rerank('the cat', texts, call)).toEqual(expected)
  })

  it('can be loaded before its first search, and rejects once it is closed', async () => {
    const model = await added()
    await model.load()
    await model.close()
    await expect(model.rerank('the cat', texts, call)).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    await expect(model.load()).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    await model.close()
  })

  it('drops the texts of a search that does not wait any more', async () => {
    const model = await added({ threads: 1 })
    await model.load()
    const stop = new AbortController()
    const many = Array.from({ length: 1000 }, (_, i) => `${texts[0]} ${i}`)
    const waiting = model.rerank('the cat', many, { signal: stop.signal })
    stop.abort(new Error('too late'))
    await expect(waiting).rejects.toThrow('too late')
    expect(await model.rerank('the cat', texts, call)).toHaveLength(texts.length)
  })

  it('is found in the folder that ASOF_MODELS names', async () => {
    await added()
    vi.stubEnv('ASOF_MODELS', models.folder)
    expect(closed(localReranker('reader')).model).toMatch(/^bert-classifier@[0-9a-f]{64}$/)
    expect(() => localReranker('none')).toThrow(/there is no model none in /)
  })

  it('is not an embeddings model, nor an embeddings model a reranker', async () => {
    const { folder } = models
    await added()
    await addModel(models.copyOf('bert'), { folder, name: 'tiny' })
    const refusal = (message: string) => expect.objectContaining({ code: 'ASOF_MODEL_INVALID', message })
    expect(() => localModel('reader', { folder })).toThrow(
      refusal('the model reader re-ranks results, and makes no vectors'),
    )
    expect(() => localReranker('tiny', { folder })).toThrow(
      refusal('the model tiny makes vectors, and does not re-rank results'),
    )
  })

  it.each([0, 1.5, 65])('refuses %d threads', async threads => {
    await expect(added({ threads })).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
  })

  it('refuses files that were changed after they were added, and tries again with the next search', async () => {
    const model = await added()
    const file = join(models.folder, 'reader', 'config.json')
    const whole = readFileSync(file)
    writeFileSync(file, Buffer.concat([whole, Buffer.from('\n')]))
    await expect(model.rerank('the cat', texts, call)).rejects.toMatchObject({
      code: 'ASOF_MODEL_INVALID',
      message: expect.stringContaining('scores otherwise than when it was added'),
    })
    writeFileSync(file, whole)
    expect(await model.rerank('the cat', texts, call)).toHaveLength(texts.length)
  })
})

describe('an engine with a local reranker', () => {
  const page = (i: number, text: string, acquiredAt: string) => ({ url: `https://${i}.example/`, text, acquiredAt })
  const before = [
    page(1, 'the cat sat on the mat', '2025-01-01'),
    page(2, 'the cat and the dog', '2025-01-02'),
    page(3, 'a search engine finds the cat', '2025-01-03'),
  ]
  const after = [page(1, 'the cat has left', '2025-03-01'), page(4, 'the cat, the cat', '2025-03-02')]
  const ordered = async (engine: Engine, queryTime?: string) => {
    const { results, receipt, warning } = await engine.search('the cat', { mode: 'pro', queryTime })
    expect(warning).toBeUndefined()
    return { results: results.map(({ url, score }) => [url, score]), reranker: receipt.reranker }
  }

  it('orders the results of an instant, also sealed, as an engine that was never given later pages', async () => {
    const rerank = await added()
    const whole = closed(await open(':memory:', { rerank, searchThreads: 0 }))
    const part = closed(await open(':memory:', { rerank, searchThreads: 0 }))
    const plain = closed(await open(':memory:', { searchThreads: 0 }))
    await whole.add([...before, ...after])
    for (const engine of [part, plain]) await engine.add(before)
    const early = await ordered(whole, '2025-02-01')
    expect(early.reranker).toBe(rerank.model)
    expect(early).toEqual(await ordered(part, '2025-02-01'))
    const sealed = await whole.sealed('2025-02-01').search('the cat', { mode: 'pro' })
    expect(sealed.results.map(({ url, score }) => [url, score])).toEqual(early.results)
    expect(sealed.receipt.reranker).toBe(rerank.model)
    // The scores of the model are a part of the scores.
    const { results } = await plain.search('the cat', { mode: 'pro' })
    expect(early.results).not.toEqual(results.map(({ url, score }) => [url, score]))
  })
})
