import { describe, expect, it } from 'vitest'
import { readPages, readSearch, readSimilar } from '../../../../../transports/http/dialects/exa/read.ts'

const requestedAt = Date.UTC(2025, 5, 1)
const sent = (fields: unknown) => ({ id: 'r', fields, requestedAt })
const search = (fields: object = {}) => readSearch(sent({ query: 'ships', ...fields }))
const pages = (fields: object = {}) => readPages(sent({ urls: ['https://a.example/'], ...fields }))

describe('a search of Exa', () => {
  it('is a search of asof with these fields', () => {
    const { request, query, warnings } = search({
      numResults: 70,
      includeDomains: ['https://a.example/docs'],
      excludeDomains: ['b.example'],
      startPublishedDate: '2025-01-01T00:00:00.000Z',
      endPublishedDate: '2025-02-01',
      startCrawlDate: '2025-01-02',
      endCrawlDate: '2025-02-02',
      includeText: ['blue sea'],
      excludeText: ['red "sea"'],
      contents: { text: { maxCharacters: 700 }, highlights: { query: 'tides' }, snapshotAsOf: '2025-03-01' },
    })
    expect(query).toBe('ships "blue sea" -"red  sea"')
    expect(request).toEqual({
      max_results: 70,
      sites: ['a.example/docs'],
      exclude_sites: ['b.example'],
      published_after: '2025-01-01T00:00:00.000Z',
      published_before: '2025-02-01',
      acquired_after: '2025-01-02',
      acquired_before: '2025-02-02',
      query_time: '2025-03-01',
      include: ['author', 'content', 'passages'],
      content_max_chars: 700,
      passages_max_chars: 600,
      passages_query: 'tides',
      strict: true,
    })
    expect(warnings).toEqual([])
  })

  it('has ten results without contents by default, and no strict phrases', () => {
    const { request, wanted } = search({ contents: false })
    expect(request).toMatchObject({ max_results: 10, include: ['author'], strict: false, query_time: undefined })
    expect(wanted).toMatchObject({ textChars: undefined, highlightChars: undefined })
  })

  it('has texts as long as an answer can have them, if it asks for whole texts', () => {
    const chars = (numResults: number, text: unknown = true) =>
      search({ numResults, contents: { text } }).request.content_max_chars
    expect([chars(1), chars(20), chars(50), chars(100)]).toEqual([50_000, 50_000, 20_000, 20_000])
    expect(chars(10, { maxCharacters: 90_000 })).toBe(50_000)
  })

  it('is warned of what is left out, by name, and not of what is about cost or speed', () => {
    const { warnings } = search({
      category: 'news',
      type: 'neural',
      useAutoprompt: true,
      moderation: true,
      other: 1,
      contents: {
        summary: { query: 'x' },
        subpages: 2,
        livecrawl: 'preferred',
        livecrawlTimeout: 10,
        text: { includeHtmlTags: true, maxCharacters: 5 },
        highlights: { numSentences: 2, maxCharacters: 200 },
      },
    })
    expect(warnings.map(({ path }) => path).toSorted()).toEqual([
      'category',
      'contents.highlights.numSentences',
      'contents.livecrawl',
      'contents.subpages',
      'contents.summary',
      'contents.text.includeHtmlTags',
      'other',
    ])
  })

  it.each([
    [{ numResults: 101 }, 'numResults: must be a whole number from 1 to 100'],
    [{ numResults: 0 }, 'numResults: '],
    [{ query: undefined }, 'query: '],
    [{ outputSchema: {} }, 'outputSchema: '],
    [{ stream: true }, 'stream: '],
    [{ includeDomains: 'a.example' }, 'includeDomains: '],
    [{ includeDomains: ['*.com'] }, 'includeDomains[0]: '],
    [{ includeText: ['?'] }, 'includeText[0]: '],
    [{ contents: { livecrawl: 'always' } }, 'contents.livecrawl: '],
    [{ contents: { maxAgeHours: 0 } }, 'contents.maxAgeHours: '],
    [{ contents: { maxAgeHours: 24 } }, 'contents.maxAgeHours: '],
    [{ contents: { text: 'yes' } }, 'contents.text: '],
    [{ contents: { text: { maxCharacters: 0 } } }, 'contents.text'],
    [{ contents: { snapshotAsOf: 'soon' } }, 'contents.snapshotAsOf: '],
    [{ contents: { snapshotAsOf: '2025-01-01' }, query_time: '2025-01-02' }, 'query_time: names another instant'],
    [{ snapshotAsOf: '2025-01-01' }, 'snapshotAsOf: is not read here; name the instant in contents.snapshotAsOf'],
    [{ contents: { asOf: '2025-01-01' } }, 'contents.asOf: is not read here'],
  ])('with %j is refused', (fields, message) => {
    expect(() => search(fields)).toThrow(message)
  })

  it('never takes a crawl date for the instant of the answer', () => {
    expect(search({ endCrawlDate: '2025-01-01', endPublishedDate: '2025-01-01' }).request.query_time).toBeUndefined()
  })

  it.each([[null], ['text'], [[]], [5]])('is not %j', body => {
    expect(() => readSearch(sent(body))).toThrow('must be a JSON object')
  })
})

it('a search for similar pages has the fields of a search, and a URL in place of the query', () => {
  const url = 'https://a.example/'
  expect(readSimilar(sent({ url, excludeSourceDomain: true, numResults: 3 }))).toMatchObject({
    url,
    excludesSite: true,
    most: 3,
    // The page itself is found too, and left out.
    request: { max_results: 4 },
  })
  expect(() => readSimilar(sent({ numResults: 3 }))).toThrow('url: ')
})

describe('a request for contents', () => {
  it.each([
    [{}, { from: 'index', fallsBack: false }],
    [{ livecrawl: 'never' }, { from: 'index' }],
    [{ livecrawl: 'fallback' }, { from: 'index' }],
    [{ livecrawl: 'always' }, { from: 'site', fallsBack: false }],
    [{ livecrawl: 'preferred' }, { from: 'site', fallsBack: true }],
    [{ maxAgeHours: -1, livecrawl: 'always' }, { from: 'site' }],
    [{ maxAgeHours: 0 }, { from: 'site', fallsBack: false }],
    [{ maxAgeHours: 2 }, { from: { seenWithinMs: 7_200_000 } }],
    [{ snapshotAsOf: '2025-03-01' }, { from: 'index', query_time: '2025-03-01' }],
    [{ query_time: '2025-03-01' }, { from: 'index', query_time: '2025-03-01' }],
  ])('with %j reads pages so: %j', (fields, expected) => {
    expect(pages(fields)).toMatchObject(expected)
  })

  it('takes pages as urls or as ids', () => {
    expect(readPages(sent({ ids: ['https://b.example/'] })).urls).toEqual(['https://b.example/'])
    expect(() => pages({ ids: ['https://b.example/'] })).toThrow('ids: not together with urls')
    expect(() => readPages(sent({}))).toThrow('urls: is required')
  })

  it.each([
    [{ snapshotAsOf: '2025-03-01', livecrawl: 'always' }, 'livecrawl: not together with an instant of the past'],
    [{ snapshotAsOf: '2025-03-01', maxAgeHours: 1 }, 'maxAgeHours: not together with an instant of the past'],
    [{ contents: { snapshotAsOf: '2025-03-01' } }, 'contents.snapshotAsOf: is not read here'],
    [{ urls: Array.from({ length: 101 }, () => 'https://a.example/') }, 'urls: '],
  ])('with %j is refused', (fields, message) => {
    expect(() => pages(fields)).toThrow(message)
  })
})
