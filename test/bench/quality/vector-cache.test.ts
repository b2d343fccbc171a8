import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { VectorCache } from '../../../bench/quality/vector-cache.ts'
import type { Embedder } from '../../../core/index.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'asof-vectors-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(dir, { recursive: true })
})

/** A model that counts letters. `asked` has the texts that it was asked for. */
function letterCounter(model = 'letters'): Embedder & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    model,
    embed: async (texts, { kind }) => {
      asked.push(...texts)
      return texts.map(text => Float32Array.of(text.length / 3, kind === 'query' ? 1 : 0))
    },
  }
}

const passage = { kind: 'passage', signal: new AbortController().signal } as const
const query = { ...passage, kind: 'query' } as const

describe('a cache of vectors', () => {
  it('computes a vector once, also in another run, and keeps its bits', async () => {
    const before = await VectorCache.open(dir)
    await before.caching(letterCounter()).embed(['cat', 'horse'], passage)
    await before.close()
    const after = await VectorCache.open(dir)
    const source = letterCounter()
    const found = await after.caching(source).embed(['ox', 'horse', 'a', 'cat'], passage)
    await after.close()
    expect(source.asked).toEqual(['ox', 'a'])
    expect(found).toEqual(await letterCounter().embed(['ox', 'horse', 'a', 'cat'], passage))
  })

  it('asks for a text that occurs twice once', async () => {
    const cache = await VectorCache.open(dir)
    const source = letterCounter()
    const found = await cache.caching(source).embed(['cat', 'horse', 'cat'], passage)
    await cache.close()
    expect(source.asked).toEqual(['cat', 'horse'])
    expect(found).toEqual(await letterCounter().embed(['cat', 'horse', 'cat'], passage))
  })

  it('without a folder keeps vectors until it is closed', async () => {
    vi.stubEnv('TMPDIR', dir)
    const cache = await VectorCache.open()
    expect(readdirSync(dir)).toHaveLength(1)
    const source = letterCounter()
    for (const _ of ['first', 'second']) await cache.caching(source).embed(['cat'], passage)
    expect(source.asked).toEqual(['cat'])
    await cache.close()
    expect(readdirSync(dir)).toEqual([])
  })

  it('is the model that it caches to whoever uses it, and closes it', async () => {
    const cache = await VectorCache.open(dir)
    let isClosed = false
    const facts = { model: 'letters', languages: ['en'], isLocal: true, passageUnits: 500 }
    const model = cache.caching({
      ...letterCounter(),
      ...facts,
      close: async () => {
        isClosed = true
      },
    })
    expect(model).toMatchObject(facts)
    await model.close()
    expect(isClosed).toBe(true)
    await cache.close()
  })

  it('takes no vector of another model or of a query for that of a passage', async () => {
    const cache = await VectorCache.open(dir)
    await cache.caching(letterCounter()).embed(['cat'], passage)
    for (const [model, call] of [
      ['letters', query],
      ['others', passage],
    ] as const) {
      const source = letterCounter(model)
      await cache.caching(source).embed(['cat'], call)
      expect(source.asked).toEqual(['cat'])
    }
    await cache.close()
  })

  it('keeps nothing of a call that failed', async () => {
    const cache = await VectorCache.open(dir)
    const failing: Embedder = { ...letterCounter(), embed: () => Promise.reject(new Error('no memory')) }
    await expect(cache.caching(failing).embed(['cat'], passage)).rejects.toThrow('no memory')
    const source = letterCounter()
    await cache.caching(source).embed(['cat'], passage)
    expect(source.asked).toEqual(['cat'])
    await cache.close()
  })
})
