import { describe, expect, it } from 'vitest'
import { readSearch } from '../../../../../transports/http/dialects/perplexity/read.ts'

const search = (fields: object = {}) =>
  readSearch({ id: 'r', requestedAt: Date.UTC(2025, 5, 1), fields: { query: 'ships', ...fields } })

describe('a search of Perplexity', () => {
  it('is a search of asof with these fields', () => {
    const { request, warnings } = search({
      max_results: 7,
      search_domain_filter: ['a.example', '-b.example/docs'],
      search_after_date_filter: '1/31/2025',
      search_before_date_filter: '12/1/2025',
      max_tokens_per_page: 250,
      snapshot_as_of: '2025-03-01',
    })
    expect(request).toEqual({
      query: 'ships',
      max_results: 7,
      sites: ['a.example'],
      exclude_sites: ['b.example/docs'],
      published_after: '2025-01-31',
      published_before: '2025-12-01',
      query_time: '2025-03-01',
      snippet_max_length: 1_000,
    })
    expect(warnings).toEqual([])
  })

  it.each([
    [{}, 4_000],
    [{ search_context_size: 'low' }, 600],
    [{ max_tokens: 1_000, max_results: 10 }, 400],
    [{ max_tokens: 10, max_results: 10 }, 180],
    [{ max_tokens_per_page: 1_000_000 }, 10_000],
  ])('with %j has snippets of up to %d characters', (fields, chars) => {
    expect(search(fields).request.snippet_max_length).toBe(chars)
  })

  it('may have its query in a list, and a range of publish dates', () => {
    expect(search({ query: ['ships'], search_recency_filter: 'week' }).request).toMatchObject({
      query: 'ships',
      published_after: '7d',
    })
  })

  it.each([
    [{ query: ['a', 'b'] }, 'query: send a search for each query'],
    [{ max_results: 21 }, 'max_results: '],
    [{ search_mode: 'academic' }, 'search_mode: '],
    [{ search_type: 'people' }, 'search_type: '],
    [{ search_language_filter: ['en'] }, 'search_language_filter: '],
    [{ last_updated_after_filter: '1/1/2025' }, 'last_updated_after_filter: '],
    [{ search_after_date_filter: 'soon' }, 'search_after_date_filter: '],
    [{ search_recency_filter: 'day', search_after_date_filter: '1/1/2025' }, 'search_recency_filter: not together'],
    [{ search_domain_filter: ['*.com'] }, 'search_domain_filter[0]: '],
    [{ snapshot_as_of: 'soon' }, 'snapshot_as_of: '],
    [{ snapshotAsOf: '2025-01-01' }, 'snapshotAsOf: is not read here'],
  ])('with %j is refused', (fields, message) => {
    expect(() => search(fields)).toThrow(message)
  })
})
