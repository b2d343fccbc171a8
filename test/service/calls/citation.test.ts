import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { citationOf } from '../../../service/calls/citation.ts'
import { createService } from '../../../service/index.ts'

describe('a citation', () => {
  const page = {
    url: 'https://a.example/x',
    title: ' The\nferry ',
    acquiredAt: Date.UTC(2025, 0, 1, 10),
    markdown: 'Ferry.',
  }

  it('has title, site, publish date, instant and link', () => {
    expect(
      citationOf(
        { ...page, siteName: 'Harbor News', publishedAt: Date.UTC(2024, 11, 30) },
        { base: 'https://s.example' },
      ),
    ).toEqual({
      url: 'https://s.example/memento/20250101100000000/https://a.example/x',
      text: '“The ferry”, Harbor News, published 2024-12-30, as of 2025-01-01T10:00:00.000Z: https://s.example/memento/20250101100000000/https://a.example/x',
    })
    expect(citationOf({ ...page, title: '' })?.text).toMatch(
      /^a\.example, as of 2025-01-01T10:00:00\.000Z: \/memento\//,
    )
  })

  it('is missing for a page from before the year 0', () => {
    expect(citationOf({ ...page, acquiredAt: Date.parse('-000001-06-01T00:00Z') })).toBeUndefined()
  })
})

describe('a service', () => {
  let engine: Engine
  beforeEach(async () => {
    engine = await open(':memory:')
    const url = 'https://a.example/ferry'
    // Two versions in one second.
    await engine.add([
      { url, title: 'Ferry', text: 'The ferry leaves at six.', acquiredAt: Date.UTC(2025, 0, 1, 0, 0, 0, 100) },
      { url, title: 'Ferry', text: 'The ferry leaves at seven.', acquiredAt: Date.UTC(2025, 0, 1, 0, 0, 0, 900) },
    ])
  })
  afterEach(async () => {
    await engine.close()
  })
  const serviceOf = () => createService(engine, () => Promise.reject(new Error('nothing is fetched live')))

  it('cites results, fetched pages and whole pages only if it is asked to, each by its own version', async () => {
    const service = serviceOf()
    const search = { query: 'ferry', mode: 'realtime' as const, max_results: 10 }
    const call = { base: 'https://s.example' }
    const plain = await service.answer('search', search, call)
    expect(plain.body.results[0]).not.toHaveProperty('citation')
    const cited = await service.answer('search', { ...search, include: ['citation'] }, call)
    expect(cited.body.results[0]?.citation?.url).toBe(
      'https://s.example/memento/20250101000000900/https://a.example/ferry#:~:text=The%20ferry%20leaves%20at%20seven',
    )
    const fetched = {
      url: 'https://a.example/ferry',
      max_chars: 100,
      live: false,
      query_time: '2025-01-01T00:00:00.500Z',
    }
    expect((await service.answer('fetch', fetched, call)).body.citation).toBeUndefined()
    const link = 'https://s.example/memento/20250101000000100/https://a.example/ferry'
    expect((await service.answer('fetch', { ...fetched, include: ['citation'] }, call)).body.citation?.url).toBe(link)
    const { live: _, ...page } = fetched
    expect((await service.answer('page', { ...page, include: ['citation'] }, call)).body.citation?.url).toBe(link)
    expect((await service.answer('page', page, call)).body.citation).toBeUndefined()
  })
})
