import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { CrossEncoder, Encoder, type EncoderOptions } from '../../encoder/index.ts'
import { Fixture } from './fixture.ts'

const path = new Fixture('bert').folder
const scored = new Fixture('bert-classifier').folder
const opened: { close(): Promise<void> }[] = []
afterEach(() => Promise.all(opened.splice(0).map(each => each.close())))

async function open(options: Partial<EncoderOptions> = {}): Promise<Encoder> {
  const encoder = await Encoder.open({ path, maxTokens: 40, ...options })
  opened.push(encoder)
  return encoder
}

async function openCross(options: Partial<EncoderOptions> = {}): Promise<CrossEncoder> {
  const encoder = await CrossEncoder.open({ path: scored, maxTokens: 40, ...options })
  opened.push(encoder)
  return encoder
}

/** Collects the threads that start meanwhile. */
async function withThreads<Result>(act: (threads: Worker[]) => Promise<Result>): Promise<Result> {
  const threads: Worker[] = []
  const collect = (worker: Worker): void => {
    threads.push(worker)
  }
  process.on('worker', collect)
  try {
    return await act(threads)
  } finally {
    process.off('worker', collect)
  }
}

const pages = Array.from({ length: 40 }, (_, i) => `page ${i}\n${'the cat sat on the mat and the dog '.repeat(i)}`)
const coded = (code: string) => expect.objectContaining({ code })

describe('an encoder', () => {
  it('returns the vectors of transformers', async () => {
    const { texts, mean } = new Fixture('bert').expected()
    const encoder = await open()
    const vectors = await encoder.embed(texts, { kind: 'query' })
    expect(encoder.dimensions).toBe(32)
    for (const [i, vector] of vectors.entries())
      for (const [j, value] of vector.entries()) expect(value).toBeCloseTo(mean[i]![j]!, 4)
  })

  it('returns the same with any number of threads, in any order, alone or together', async () => {
    const [one, three] = [await open(), await open({ threads: 3 })]
    const expected = await one.embed(pages, { kind: 'passage' })
    expect(await three.embed(pages, { kind: 'passage' })).toEqual(expected)
    expect(await three.embed(pages.toReversed(), { kind: 'passage' })).toEqual(expected.toReversed())
    const alone = await Promise.all(pages.map(page => three.embed([page], { kind: 'passage' })))
    expect(alone.flat()).toEqual(expected)
    expect(three.identity).toBe(one.identity)
  })

  it('reads as many tokens as the model does if that is fewer than the default', async () => {
    const [plain, whole] = [await open({ maxTokens: undefined }), await open({ maxTokens: 64 })]
    expect(plain.identity).toBe(whole.identity)
  })

  it('returns nothing for no texts, and a vector for an empty text', async () => {
    const encoder = await open()
    expect(await encoder.embed([], { kind: 'query' })).toEqual([])
    expect(await encoder.embed([''], { kind: 'passage' })).toHaveLength(1)
  })

  it('makes the vector of a page from several passages', async () => {
    const encoder = await open()
    const [begin, end] = ['cat '.repeat(80), 'dog '.repeat(80)]
    const [page, first, second] = await encoder.embed([`title\n${begin}${end}`, `title\n${begin}`, `title\n${end}`], {
      kind: 'passage',
    })
    for (const [j, value] of page!.entries())
      expect(value).toBeCloseTo((first![j]! + second![j]!) / lengthOfSum(first!, second!), 5)
  })

  it('puts the prefixes before texts', async () => {
    const plain = await open()
    const prefixed = await open({ queryPrefix: 'the cat ', passagePrefix: 'the dog ' })
    expect(await prefixed.embed(['sat'], { kind: 'query' })).toEqual(
      await plain.embed(['the cat sat'], { kind: 'query' }),
    )
    expect(await prefixed.embed(['sat'], { kind: 'passage' })).toEqual(
      await plain.embed(['the dog sat'], { kind: 'passage' }),
    )
  })

  it('has another identity for whatever changes a vector, and for nothing else', async () => {
    const plain = await open()
    const changes: Partial<EncoderOptions>[] = [
      { maxTokens: 39 },
      { pooling: 'cls' },
      { queryPrefix: 'a' },
      { passagePrefix: 'a' },
      { path: new Fixture('modernbert').folder },
    ]
    const identities = await Promise.all(changes.map(async change => (await open(change)).identity))
    expect(new Set([plain.identity, ...identities]).size).toBe(changes.length + 1)
    const copy = join(mkdtempSync(join(tmpdir(), 'asof-test-')), 'copy')
    symlinkSync(path, copy)
    const same = await open({ path: copy, threads: 2, name: 'other', languages: ['en'] })
    rmSync(copy)
    expect(same.identity).toBe(plain.identity)
    expect(plain.model).toBe(`bert@${plain.identity}`)
    expect(same.model).toBe(`other@${plain.identity}`)
    expect(same.languages).toEqual(['en'])
  })

  it('embeds a query before the passages that wait', async () => {
    const encoder = await open()
    const done: string[] = []
    const passages = encoder.embed(pages, { kind: 'passage' }).then(() => done.push('passages'))
    const query = encoder.embed(['the cat'], { kind: 'query' }).then(() => done.push('query'))
    await Promise.all([passages, query])
    expect(done).toEqual(['query', 'passages'])
  })

  it('drops what waits when its caller aborts, and continues for others', async () => {
    const encoder = await open()
    const stop = new AbortController()
    const dropped = encoder.embed(pages, { kind: 'passage', signal: stop.signal })
    const kept = encoder.embed(['the cat'], { kind: 'passage' })
    stop.abort(new Error('not needed'))
    await expect(dropped).rejects.toThrow('not needed')
    expect(await kept).toHaveLength(1)
    await expect(encoder.embed(['the cat'], { kind: 'query', signal: stop.signal })).rejects.toThrow('not needed')
  })

  it('gives the text of a thread that ended to another thread', async () => {
    const encoder = await open()
    const expected = await encoder.embed(pages, { kind: 'passage' })
    const other = await open()
    await withThreads(async threads => {
      const started = once(process, 'worker')
      const vectors = other.embed(pages, { kind: 'passage' })
      await started
      await threads[0]!.terminate()
      expect(await vectors).toEqual(expected)
      expect(threads).toHaveLength(2)
    })
  })

  it('fails a text whose threads end again and again, and embeds the next', async () => {
    const encoder = await open()
    await withThreads(async threads => {
      const [kill] = [(worker: Worker) => void worker.terminate()]
      process.on('worker', kill)
      try {
        await expect(encoder.embed(['the cat'], { kind: 'query' })).rejects.toEqual(coded('ASOF_WORKER_FAILED'))
      } finally {
        process.off('worker', kill)
      }
      expect(threads).toHaveLength(2)
      expect(await encoder.embed(['the cat'], { kind: 'query' })).toHaveLength(1)
    })
  })

  it('rejects what waits when it is closed, and every later call', async () => {
    const encoder = await open()
    const waiting = encoder.embed(pages, { kind: 'passage' })
    const rejected = expect(waiting).rejects.toEqual(coded('ASOF_CLOSED'))
    await encoder.close()
    await rejected
    await expect(encoder.embed(['the cat'], { kind: 'query' })).rejects.toEqual(coded('ASOF_CLOSED'))
    await encoder.close()
  })

  it('refuses more texts than may wait', async () => {
    const encoder = await open()
    await expect(encoder.embed(new Array(10_001).fill(''), { kind: 'query' })).rejects.toEqual(
      coded('ASOF_MODEL_FAILED'),
    )
    expect(await encoder.embed(['the cat'], { kind: 'query' })).toHaveLength(1)
  })

  it('does not keep the process alive', async () => {
    const entry = new URL('../../encoder/index.ts', import.meta.url).href
    const worker = new Worker(
      `import { parentPort, workerData } from 'node:worker_threads'
      const { Encoder } = await import(workerData.entry)
      const encoder = await Encoder.open({ path: workerData.path, maxTokens: 40 })
      parentPort.postMessage((await encoder.embed(['the cat'], { kind: 'query' })).length)`,
      { eval: true, workerData: { entry, path } },
    )
    const [[count], [code]] = await Promise.all([once(worker, 'message'), once(worker, 'exit')])
    expect([count, code]).toEqual([1, 0])
  })

  it.each([
    [{ threads: 0 }, 'ASOF_INVALID_OPTION'],
    [{ threads: 1.5 }, 'ASOF_INVALID_OPTION'],
    [{ maxTokens: 7 }, 'ASOF_INVALID_OPTION'],
    [{ maxTokens: 8193 }, 'ASOF_INVALID_OPTION'],
    [{ maxTokens: 65 }, 'ASOF_INVALID_OPTION'],
    [{ pooling: 'max' as 'mean' }, 'ASOF_INVALID_OPTION'],
    [{ ...({ unknown: 1 } as object) }, 'ASOF_INVALID_OPTION'],
    [{ path: join(path, 'missing') }, 'ASOF_MODEL_INVALID'],
    [{ path: join(path, 'config.json') }, 'ASOF_MODEL_INVALID'],
    [{ path: 'missing.jar' }, 'ASOF_MODEL_INVALID'],
  ])('refuses the options %o', async (options, code) => {
    await expect(open(options)).rejects.toEqual(coded(code))
  })
})

describe('a cross-encoder', () => {
  it('returns the scores of transformers, with any number of threads', async () => {
    const { pairs, scores } = new Fixture('bert-classifier').expected()
    const [one, two] = [await openCross(), await openCross({ threads: 2 })]
    for (const [i, [query, text]] of pairs.entries()) {
      const [score] = await one.rerank(query, [text])
      expect(score).toBeCloseTo(scores[i]![0]!, 3)
    }
    const texts = pairs.map(([, text]) => text)
    expect(await two.rerank('the cat', texts)).toEqual(await one.rerank('the cat', texts))
    expect(two.model).toBe(one.model)
  })

  it('can be aborted and closed', async () => {
    const encoder = await openCross()
    await expect(encoder.rerank('cat', pages, { signal: AbortSignal.abort(new Error('late')) })).rejects.toThrow('late')
    await encoder.close()
    await expect(encoder.rerank('cat', pages)).rejects.toEqual(coded('ASOF_CLOSED'))
  })

  it('refuses a model without a classifier', async () => {
    await expect(openCross({ path })).rejects.toEqual(coded('ASOF_MODEL_INVALID'))
  })
})

function lengthOfSum(first: Float32Array, second: Float32Array): number {
  return Math.sqrt(first.reduce((sum, value, j) => sum + (value + second[j]!) ** 2, 0))
}
