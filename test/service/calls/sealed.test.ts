import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { createService, type Service } from '../../../service/index.ts'

const url = 'https://a.example/tides'
const sealedAt = Date.UTC(2024, 0, 1)

let engine: Engine
let asked: string[]
let whole: Service
beforeEach(async () => {
  engine = await open(':memory:')
  await engine.add([
    { url, text: 'The tide is at six.', acquiredAt: '2023-01-01' },
    { url, text: 'The tide is at seven.', acquiredAt: '2025-01-01' },
    { url: 'https://a.example/later', text: 'A later tide.', acquiredAt: '2025-01-01' },
  ])
  asked = []
  const journal = { record: async () => ({ refetches: 0 }) }
  whole = createService(
    engine,
    async live => {
      asked.push(live)
      return { url: live, title: '', markdown: 'now', acquiredAt: Date.now() }
    },
    { journal },
  )
})
afterEach(async () => {
  await engine.close()
})

const fetched = { url, max_chars: 50_000, live: false }
const search = { query: 'tide', mode: 'pro' as const, max_results: 10 }

describe('a sealed service', () => {
  it('answers as of its seal, and refuses later times without naming the real one', async () => {
    const service = whole.sealed(sealedAt)
    expect(service.sealedAt).toBe(sealedAt)
    expect((await service.answer('search', search)).body.results).toMatchObject([{ url }])
    expect(await service.answer('fetch', fetched)).toMatchObject({ body: { content: 'The tide is at six.' } })
    const then = await service.answer('fetch', { ...fetched, query_time: '2023-06-01' })
    expect(then.body).not.toHaveProperty('superseded_at', expect.anything())
    const refused = service.answer('fetch', { ...fetched, query_time: '2024-06-01' })
    await expect(refused).rejects.toThrow('the clock here says 2024-01-01T00:00:00.000Z')
    expect((await service.answer('captures', { max_bins: 400 })).body.sealed_at).toBe('2024-01-01T00:00:00.000Z')
    expect((await whole.answer('captures', { max_bins: 400 })).body.sealed_at).toBeUndefined()
  })

  it('fetches nothing live, not even for a query that is a URL', async () => {
    const service = whole.sealed(sealedAt)
    for (const call of [
      () => service.answer('fetch', { ...fetched, live: true }),
      () => service.check('fetch', { ...fetched, live: true }),
    ])
      await expect(call()).rejects.toMatchObject({ kind: 'invalid_request', details: [{ path: 'live' }] })
    const { body, fetched: place } = await service.answer('search', { ...search, query: 'https://a.example/later' })
    expect([body.results, place]).toEqual([[], 'indexed'])
    expect(body.warning).toContain('the index has no such page')
    await expect(service.answer('fetch', { ...fetched, url: 'https://a.example/later' })).rejects.toThrow(
      /no page at this URL\.$/,
    )
    expect(asked).toEqual([])
  })

  it('takes no feedback', async () => {
    const service = whole.sealed(sealedAt)
    expect([whole.takesFeedback, service.takesFeedback]).toEqual([true, false])
    const given = { query: 'tide', feedback: { [url]: 1 } }
    await expect(service.answer('feedback', given, { organization: 'o' })).rejects.toMatchObject({
      kind: 'forbidden',
    })
  })

  it('is made once for an instant, and never at one after the seal', async () => {
    const service = whole.sealed(sealedAt)
    expect(whole.sealed(sealedAt)).toBe(service)
    expect(() => service.sealed(sealedAt + 1)).toThrow(expect.objectContaining({ code: 'ASOF_INVALID_TIME' }))
    expect(() => whole.sealed(Date.now() + 100_000)).toThrow(expect.objectContaining({ code: 'ASOF_INVALID_TIME' }))
  })
})
