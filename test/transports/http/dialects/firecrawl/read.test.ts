import { describe, expect, it } from 'vitest'
import { readPublished } from '../../../../../transports/http/dialects/firecrawl/published.ts'
import { readScrape, readSearch } from '../../../../../transports/http/dialects/firecrawl/read.ts'

const requestedAt = Date.UTC(2025, 5, 1)
const sent = (fields: unknown) => ({ id: 'r', fields, requestedAt })
const scrape = (fields: object = {}) => readScrape(sent({ url: 'https://a.example/', ...fields }))
const search = (fields: object = {}) => readSearch(sent({ query: 'ships', ...fields }))
const DAY_MS = 86_400_000

describe('a scrape of Firecrawl', () => {
  it('is content with a page that was seen within two days, or within its own time', () => {
    expect(scrape().seenSince).toBe(requestedAt - 2 * DAY_MS)
    expect(scrape({ maxAge: 0 }).seenSince).toBe(requestedAt)
    expect(scrape({ maxAge: 3_600_000 }).seenSince).toBe(requestedAt - 3_600_000)
  })

  it.each([
    [undefined, ['markdown']],
    [[], ['markdown']],
    [
      ['links', 'markdown'],
      ['markdown', 'links'],
    ],
    [[{ type: 'links' }], ['links']],
  ])('with the formats %j has the formats %j', (formats, expected) => {
    expect(scrape({ formats }).formats).toEqual(expected)
  })

  it('is warned of other formats, unless it has no other', () => {
    const { formats, warnings } = scrape({ formats: ['markdown', 'html', { type: 'json', prompt: 'a' }, 'new'] })
    expect(formats).toEqual(['markdown'])
    expect(warnings.map(({ path }) => path)).toEqual(['formats html', 'formats json', 'formats new'])
    expect(() => scrape({ formats: ['screenshot'] })).toThrow(
      'formats: asof has only markdown, links and json with a schema',
    )
  })

  const schema = { type: 'object', properties: { price: { type: 'number' } } }
  it('reads values by the schema of the format json, also by that of version 1', () => {
    const withPrompt = scrape({ formats: ['links', { type: 'json', schema, prompt: 'the price' }] })
    expect(withPrompt).toMatchObject({ formats: ['links'], schema })
    expect(withPrompt.warnings.map(({ path }) => path)).toEqual(['formats json.prompt'])
    expect(scrape({ formats: ['json'], jsonOptions: { schema } })).toMatchObject({ formats: [], schema, warnings: [] })
    expect(scrape({ formats: ['markdown'] }).schema).toBeUndefined()
    expect(search({ scrapeOptions: { formats: [{ type: 'json', schema }] } })).toMatchObject({
      formats: [],
      schema,
      request: { include: ['author', 'last_seen_at'], content_max_chars: undefined },
    })
  })

  it('refuses a schema by which asof reads no values', () => {
    const wrong = { type: 'object', properties: { price: { type: 'number', pattern: 'a' } } }
    expect(() => scrape({ formats: [{ type: 'json', schema: wrong }] })).toThrow(
      /^formats json\.schema\.properties\.price\.pattern: /,
    )
    expect(() => scrape({ formats: [{ type: 'json', prompt: 'the price' }] })).toThrow(/^formats: asof has only/)
  })

  it('takes the defaults that clients of Python fill in for nothing', () => {
    const defaults = {
      onlyMainContent: true,
      blockAds: true,
      removeBase64Images: true,
      storeInCache: true,
      fastMode: false,
      mobile: false,
      skipTlsVerification: true,
      proxy: 'auto',
      timeout: 30_000,
      waitFor: 0,
      maxAge: 14_400_000,
      origin: 'python-sdk@4',
      integration: 'x',
    }
    expect(scrape(defaults).warnings).toEqual([])
  })

  it.each([
    [{ url: undefined }, 'url: '],
    [{ actions: [{ type: 'wait' }] }, 'actions: '],
    [{ headers: { a: 'b' } }, 'headers: '],
    [{ waitFor: 5 }, 'waitFor: '],
    [{ zeroDataRetention: true }, 'zeroDataRetention: '],
    [{ query_time: 'soon' }, 'query_time: '],
    [{ queryTime: '2025-01-01' }, 'queryTime: is not read here'],
  ])('with %j is refused', (fields, message) => {
    expect(() => scrape(fields)).toThrow(message)
  })
})

describe('a search of Firecrawl', () => {
  it('is a search of asof with these fields', () => {
    const { request, formats, seenSince, warnings } = search({
      limit: 7,
      includeDomains: ['a.example'],
      excludeDomains: ['b.example/docs'],
      sources: ['web'],
      tbs: 'qdr:w',
      scrapeOptions: { formats: ['markdown'], maxAge: DAY_MS },
      query_time: '2025-03-01',
    })
    expect(request).toEqual({
      query: 'ships',
      max_results: 7,
      sites: ['a.example'],
      exclude_sites: ['b.example/docs'],
      published_after: '7d',
      query_time: '2025-03-01',
      snippet_max_length: 300,
      include: ['author', 'last_seen_at', 'content'],
      content_max_chars: 50_000,
    })
    expect([formats, seenSince, warnings]).toEqual([['markdown'], requestedAt - DAY_MS, []])
  })

  it('has five results without pages by default', () => {
    const { request, formats } = search({ scrapeOptions: { onlyMainContent: true } })
    expect(request).toMatchObject({ max_results: 5, include: undefined, content_max_chars: undefined })
    expect(formats).toEqual([])
  })

  it('is warned of other sources, and refused without any of its own', () => {
    expect(search({ sources: [{ type: 'web' }, { type: 'alexandria' }] }).warnings).toMatchObject([{ path: 'sources' }])
    expect(() => search({ sources: ['images'] })).toThrow('sources: has neither web nor news')
  })

  it.each([
    [{ limit: 101 }, 'limit: must be a whole number from 1 to 100'],
    [{ categories: ['github'] }, 'categories: '],
    [{ tbs: 'qdr:x' }, 'tbs: '],
    [{ scrapeOptions: { formats: ['html'] } }, 'scrapeOptions.formats: '],
    [{ scrapeOptions: { actions: [1] } }, 'scrapeOptions.actions: '],
    [{ scrapeOptions: { snapshotAsOf: '2025-01-01' } }, 'scrapeOptions.snapshotAsOf: is not read here'],
  ])('with %j is refused', (fields, message) => {
    expect(() => search(fields)).toThrow(message)
  })
})

describe('a time filter of Firecrawl', () => {
  it.each([
    ['', {}],
    ['qdr:h', { published_after: '1h' }],
    ['qdr:n30', { published_after: '30min' }],
    ['qdr:w2', { published_after: '14d' }],
    ['qdr:m', { published_after: '1mo' }],
    ['qdr:y', { published_after: '1y' }],
    ['cdr:1,cd_min:1/31/2025,cd_max:12/1/2025', { published_after: '2025-01-31', published_before: '2025-12-01' }],
    ['sbd:1,qdr:d', { published_after: '1d', sort: 'published_at:desc' }],
  ])('%s is %j', (tbs, expected) => {
    expect(readPublished(tbs)).toEqual(expected)
  })

  it.each(['qdr:', 'qdr:x', 'cdr:2', 'cd_min:2025-01-01', 'sbd:2', 'li:1'])('%s is refused', tbs => {
    expect(() => readPublished(tbs)).toThrow('tbs: must be such as qdr:w')
  })
})
