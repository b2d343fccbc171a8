import { describe, expect, it } from 'vitest'
import { readExtract, readSearch } from '../../../../../transports/http/dialects/tavily/read.ts'

const requestedAt = Date.UTC(2025, 5, 1)
const sent = (fields: unknown) => ({ id: 'r', fields, requestedAt })
const search = (fields: object = {}) => readSearch(sent({ query: 'ships', ...fields }))
const extract = (fields: object = {}) => readExtract(sent({ urls: ['https://a.example/'], ...fields }))

describe('a search of Tavily', () => {
  it('is a search of asof with these fields', () => {
    const { request, warnings } = search({
      max_results: 7,
      include_domains: ['a.example/docs'],
      exclude_domains: ['b.example'],
      start_date: '2025-01-01',
      end_date: '2025-02-01',
      chunks_per_source: 2,
      include_raw_content: 'markdown',
      language: 'de',
      query_time: '2025-03-01',
    })
    expect(request).toEqual({
      query: 'ships',
      strict: false,
      max_results: 7,
      sites: ['a.example/docs'],
      exclude_sites: ['b.example'],
      published_after: '2025-01-01',
      published_before: '2025-02-01',
      query_time: '2025-03-01',
      language: 'de',
      snippet_max_length: 500,
      passages_max_chars: 1_000,
      passage_max_chars: 500,
      include: ['content', 'passages'],
      content_max_chars: 50_000,
    })
    expect(warnings).toEqual([])
  })

  it('has five results without their whole texts by default', () => {
    expect(search().request).toMatchObject({ max_results: 5, include: [], content_max_chars: undefined })
  })

  it('has chunks if it asks for them, or is advanced', () => {
    expect([search({}).chunks, search({ search_depth: 'basic' }).chunks]).toEqual([undefined, undefined])
    expect([search({ search_depth: 'advanced' }).chunks, search({ chunks_per_source: 1 }).chunks]).toEqual([3, 1])
  })

  it('with exact_match has the query word for word, or what the query quotes', () => {
    expect(search({ query: 'blue sea', exact_match: true }).request).toMatchObject({
      query: '"blue sea"',
      strict: true,
    })
    expect(search({ query: 'ship "blue sea"', exact_match: true }).request).toMatchObject({
      query: 'ship "blue sea"',
      strict: true,
    })
  })

  it.each([
    [{ time_range: 'week' }, '7d'],
    [{ time_range: 'm' }, '1mo'],
    [{ days: 3, topic: 'news' }, '3d'],
    // Older clients of Python send it in every search.
    [{ days: 7 }, undefined],
    [{ days: 7, topic: 'general' }, undefined],
  ])('with %j has pages published after %s', (fields, after) => {
    expect(search(fields).request.published_after).toBe(after)
  })

  it('is warned of what is left out, by name, and never of keys that an adapter copied', () => {
    const { warnings } = search({
      topic: 'news',
      country: 'france',
      include_answer: 'basic',
      include_images: true,
      include_raw_content: 'text',
      search_depth: 'advanced',
      include_domains: ['a.example'],
      include_domains_mode: 'prefer',
      apiKey: 'secret-key',
      apiBaseURL: 'http://x',
      client_source: 'langchain',
      other: 1,
    })
    expect(warnings.map(({ path }) => path).toSorted()).toEqual([
      'country',
      'include_answer',
      'include_domains',
      'include_images',
      'include_raw_content',
      'other',
      'topic',
    ])
    expect(JSON.stringify(warnings)).not.toContain('secret')
  })

  it('takes the empty lists and defaults that adapters send for nothing', () => {
    const { request, warnings } = search({
      include_domains: [],
      exclude_domains: [],
      include_images: false,
      include_answer: false,
      include_raw_content: false,
      include_favicon: false,
      topic: 'general',
      time_range: null,
      start_date: '',
      country: null,
    })
    expect(warnings).toEqual([])
    expect(request).toMatchObject({ sites: undefined, exclude_sites: undefined, published_after: undefined })
  })

  it.each([
    [{ max_results: 21 }, 'max_results: must be a whole number from 1 to 20'],
    [{ query: undefined }, 'query: '],
    [{ time_range: 'decade' }, 'time_range: '],
    [{ time_range: 'week', start_date: '2025-01-01' }, 'time_range: not together with start_date'],
    [{ filter_by_language: true }, 'filter_by_language: '],
    [{ max_hours: 3 }, 'max_hours: '],
    [{ include_domains: ['*.com'] }, 'include_domains[0]: '],
    [{ query_time: 'soon' }, 'query_time: '],
    [{ queryTime: '2025-01-01' }, 'queryTime: is not read here; name the instant in query_time'],
    [{ exact_match: true, query: '!!' }, 'query[0]: must have a word'],
  ])('with %j is refused', (fields, message) => {
    expect(() => search(fields)).toThrow(message)
  })
})

describe('an extract of Tavily', () => {
  it('takes one URL or several', () => {
    expect(readExtract(sent({ urls: 'https://a.example/' })).urls).toEqual(['https://a.example/'])
    expect(extract().urls).toEqual(['https://a.example/'])
  })

  it('asks for what answers its query, as of an instant', () => {
    expect(extract({ query: 'prices', query_time: '2025-03-01' }).request).toEqual({
      max_chars: 1_000_000,
      prompt: 'prices',
      query_time: '2025-03-01',
    })
  })

  it.each([
    [{ urls: [] }, 'urls'],
    [{ urls: Array.from({ length: 21 }, () => 'https://a.example/') }, 'urls'],
    [{ snapshot: '2025-01-01' }, 'snapshot: is not read here'],
  ])('with %j is refused', (fields, message) => {
    expect(() => extract(fields)).toThrow(message)
  })
})
