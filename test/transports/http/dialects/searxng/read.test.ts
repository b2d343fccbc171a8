import { describe, expect, it } from 'vitest'
import { readSearch } from '../../../../../transports/http/dialects/searxng/read.ts'

const search = (fields: object = {}) =>
  readSearch({ id: 'r', requestedAt: Date.UTC(2025, 5, 1), fields: { q: 'ships', format: 'json', ...fields } })

describe('a search of SearXNG', () => {
  it('has pages of twenty results', () => {
    expect(search().request).toEqual({
      query: 'ships',
      max_results: 20,
      offset: 0,
      published_after: undefined,
      language: undefined,
      query_time: undefined,
    })
    expect(search({ pageno: '3' }).request.offset).toBe(40)
  })

  it('has a range of publish dates, a language and an instant', () => {
    expect(search({ time_range: 'month', language: 'de-DE', query_time: '2025-03-01' }).request).toMatchObject({
      published_after: '1mo',
      language: 'de-DE',
      query_time: '2025-03-01',
    })
    for (const language of ['all', 'auto', ''])
      expect(search({ language, time_range: '' }).request.language).toBeUndefined()
  })

  it('is warned of unknown parameters, and not of engines and categories', () => {
    expect(search({ engines: 'google', categories: 'news', safesearch: '1' }).warnings).toEqual([])
    expect(search({ other: '1' }).warnings).toMatchObject([{ path: 'other' }])
  })

  it.each([
    [{ format: 'html' }, 'format: must be json'],
    [{ format: undefined }, 'format: '],
    [{ q: undefined }, 'q: '],
    [{ q: ['a', 'b'] }, 'q: '],
    [{ pageno: '0' }, 'pageno: must be a whole number, 1 or more'],
    [{ time_range: 'decade' }, 'time_range: '],
    [{ query_time: 'soon' }, 'query_time: '],
    [{ as_of: '2025-03-01' }, 'as_of: is not read here; name the instant in query_time'],
  ])('with %j is refused', (fields, message) => {
    expect(() => search(fields)).toThrow(message)
  })
})
