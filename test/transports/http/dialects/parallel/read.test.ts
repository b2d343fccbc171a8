import { describe, expect, it } from 'vitest'
import { readExtract, readSearch } from '../../../../../transports/http/dialects/parallel/read.ts'

const requestedAt = Date.UTC(2025, 5, 1)
const sent = (fields: unknown) => ({ id: 'r', fields, requestedAt })
const search = (fields: object = {}) => readSearch(sent({ search_queries: ['ships'], ...fields }))
const extract = (fields: object = {}) => readExtract(sent({ urls: ['https://a.example/'], ...fields }))
const settings = (advanced_settings: object) => ({ advanced_settings })

describe('a search of Parallel', () => {
  it('is a search of asof with these fields', () => {
    const source_policy = { include_domains: ['a.example'], exclude_domains: ['b.example'], after_date: '2025-01-01' }
    const excerpt_settings = { max_chars_per_result: 100 }
    const asked = search({
      search_queries: ['ships', 'tides'],
      objective: 'when do ships sail?',
      max_chars_total: 900,
      session_id: 's',
      client_model: 'm',
      as_of: '2025-03-01',
      ...settings({ max_results: 7, source_policy, excerpt_settings, fetch_policy: { timeout_seconds: 3 } }),
    })
    expect(asked).toEqual({
      queries: ['ships', 'tides'],
      request: {
        max_results: 7,
        sites: ['a.example'],
        exclude_sites: ['b.example'],
        published_after: '2025-01-01',
        query_time: '2025-03-01',
        include: ['passages'],
        passages_max_chars: 180,
        passages_query: 'when do ships sail? ships tides',
      },
      lengths: { perResult: 100, total: 900 },
      session: 's',
      warnings: [],
    })
  })

  it('takes null, as clients send it, for what is not given', () => {
    const nothing = { objective: null, max_chars_total: null, mode: null, session_id: null, advanced_settings: null }
    expect(search(nothing)).toEqual(search())
    expect(search().request).toMatchObject({ max_results: 10, passages_query: undefined, sites: undefined })
    expect(search(settings({ max_results: null, source_policy: null, fetch_policy: null }))).toEqual(search())
  })

  it.each([
    [settings({ fetch_policy: { max_age_seconds: 0 } }), /^advanced_settings\.fetch_policy\.max_age_seconds: /],
    [settings({ max_results: 51 }), /^advanced_settings\.max_results: /],
    [settings({ source_policy: { include_domains: 'a' } }), /^advanced_settings\.source_policy\.include_domains: /],
    [settings({ asOf: '2025-01-01' }), /^advanced_settings\.asOf: /],
    [{ search_queries: [''] }, /^search_queries\[0\]: /],
    [{ as_of: '2025-01-01', query_time: '2025-01-02' }, /^query_time: /],
  ])('with %j is refused by name', (fields, message) => {
    expect(() => search(fields)).toThrow(message)
  })
})

describe('an extract of Parallel', () => {
  it('reads pages of the index, and their excerpts only, by default', () => {
    expect(extract()).toMatchObject({
      fullChars: undefined,
      seenSince: undefined,
      prompt: undefined,
      lengths: { perResult: 1_500, total: Number.POSITIVE_INFINITY },
    })
    expect(extract({ objective: 'a', search_queries: ['b'] }).prompt).toBe('a b')
  })

  it('has the full content, and pages that were seen recently, if it asks for them', () => {
    const fetch_policy = { max_age_seconds: 600, disable_cache_fallback: true }
    expect(extract(settings({ full_content: true, fetch_policy }))).toMatchObject({
      fullChars: 1_000_000,
      seenSince: requestedAt - 600_000,
      fallsBack: false,
    })
    expect(extract(settings({ full_content: { max_chars_per_result: 9 } })).fullChars).toBe(9)
    expect(() => extract({ as_of: '2025-01-01', ...settings({ fetch_policy }) })).toThrow(
      /max_age_seconds: not together/,
    )
  })
})
