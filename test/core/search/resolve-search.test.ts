import { describe, expect, it } from 'vitest'
import { checkSearch } from '../../../core/engine/check-search.ts'
import { analyzeSearch } from '../../../core/search/analyze-search.ts'
import { FiltersAsOf } from '../../../core/search/fields/filter-as-of.ts'
import { KnownFields } from '../../../core/search/fields/known-fields.ts'
import { parseSearch } from '../../../core/search/parse-search.ts'
import { type ResolvedSearch, resolveSearch } from '../../../core/search/resolve-search.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2025, 0, 10)

const noFields = new FiltersAsOf(new KnownFields([]), {
  origin: { at: NOW, truncates: false, weeks: false },
  queryTime: undefined,
})

const analyze = (request: ResolvedSearch, language: string) =>
  analyzeSearch(request, { language, relevance: undefined }, noFields)

describe('a parsed search', () => {
  it.each([
    ['rivers "stone bridge" -ferry site:example.org', {}],
    ['site:example.org', {}],
    ['https://example.org/page', {}],
    ['title:rivers AND (bridg* OR ferri~) acquired:[7d TO *]', { mode: 'webql' }],
    ['site:example.org', { mode: 'webql' }],
    ['price:<20 OR tags:(a OR b) -sku:AB-*', { mode: 'webql' }],
  ] as const)('is plain data, so that a search thread analyzes it to the same query: %s', (text, options) => {
    const request = resolveSearch(parseSearch(text, options), NOW)
    const sent = structuredClone(request)
    expect(sent).toEqual(request)
    for (const language of ['', 'de']) expect(analyze(sent, language)).toEqual(analyze(request, language))
  })

  it('takes the domains of its options as people copy them, and names the one that is none', () => {
    const sites = ['https://docs.example/', ' b.example ', '*.c.example', '']
    expect(parseSearch('rivers', { sites }).anyOfSites).toEqual(['docs.example', 'b.example', 'c.example'])
    expect(parseSearch('rivers', { excludeSites: ['https://a.example/Docs/'] }).excludedSites).toEqual([
      'a.example/Docs',
    ])
    expect(() => parseSearch('rivers', { sites: ['a.example', 'b.example:81/docs'] })).toThrow(
      'sites: "b.example:81/docs" has a port; expected a domain such as example.com, or one with a path',
    )
    expect(() => parseSearch('rivers', { site: 'b.example/docs' })).toThrow(
      'site: "b.example/docs" has a path or a port; expected a domain such as b.example',
    )
    expect(() => parseSearch('rivers', { excludeSites: ['a b'] })).toThrow('excludeSites: "a b" is not a domain')
  })

  it('does not depend on the clock until its times are resolved', () => {
    const parsed = parseSearch('rivers', { acquiredAfter: '7d', queryTime: '1d' })
    const [before, after] = [NOW, NOW + DAY_MS].map(at => resolveSearch(parsed, at).times.queryTime)
    expect(after).toBe((before ?? Number.NaN) + DAY_MS)
  })

  it('is rejected for its query and options before, and for its times when they are resolved', () => {
    expect(() => parseSearch('(rivers', { mode: 'webql' })).toThrow(/parenthesis/)
    expect(() => parseSearch('rivers', { maxResults: 0 })).toThrow(/maxResults/)
    const parsed = parseSearch('rivers', { queryTime: 'soon' })
    expect(() => resolveSearch(parsed, NOW)).toThrow(/queryTime/)
  })

  it('in the full language is analyzed again only for another language, or for the types of fields', () => {
    const request = resolveSearch(parseSearch('Hütten', { mode: 'webql' }), NOW)
    expect(analyze(request, '')).toBe(request.webql)
    expect(analyze(request, 'de')).not.toEqual(request.webql)
    const withFields = resolveSearch(parseSearch('price:<20', { mode: 'webql' }), NOW)
    expect(withFields.webql?.lacksTypes).toBe(true)
    expect(analyze(withFields, '')).toMatchObject({ condition: { kind: 'fields' } })
    const named = resolveSearch(parseSearch('Hütten', { mode: 'webql', language: 'de-AT' }), NOW)
    expect(analyze(named, 'de')).toBe(named.webql)
  })
})

describe.each(['acquiredAfter', 'acquiredBefore', 'publishedAfter', 'publishedBefore'])('weeks in %s', filter => {
  it('are rejected by default', () => {
    const message = expect.stringContaining(`${filter}: "2w" is in weeks, which only queryTime accepts here`)
    for (const options of [{}, { weeksInFilters: false }]) {
      const failure = expect.objectContaining({ code: 'ASOF_INVALID_TIME', message })
      expect(() => checkSearch('rivers', { [filter]: '2w', ...options }, NOW)).toThrow(failure)
    }
  })

  it('are among the forms that an error lists only with weeksInFilters', () => {
    expect(() => checkSearch('rivers', { [filter]: 'soon' }, NOW)).toThrow(/7d, 1mo/)
    expect(() => checkSearch('rivers', { [filter]: 'soon', weeksInFilters: true }, NOW)).toThrow(/7d, 2w, 1mo/)
  })

  it.each([{}, { queryTime: '2024-12-01' }])('equal days with weeksInFilters: %j', options => {
    const [weeks, days] = ['2w', '14d'].map(delta => {
      const given = { [filter]: delta, weeksInFilters: true, ...options }
      checkSearch('rivers', given, NOW)
      return resolveSearch(parseSearch('rivers', given), NOW).times
    })
    expect(weeks).toEqual(days)
    expect(days).toEqual(resolveSearch(parseSearch('rivers', { [filter]: '14d', ...options }), NOW).times)
  })
})

describe('weeks in a range of the full query language', () => {
  const webql = (text: string, options: object = {}) =>
    resolveSearch(parseSearch(text, { mode: 'webql', ...options }), NOW).webql?.condition

  it('are rejected by default', () => {
    expect(() => webql('acquired:[2w TO *]')).toThrow(/"2w" is in weeks, which only queryTime accepts here/)
  })

  it('equal days with weeksInFilters', () => {
    const weeks = webql('acquired:[2w TO *]', { weeksInFilters: true })
    expect(weeks).not.toEqual(webql('acquired:[15d TO *]'))
    expect(weeks).toEqual(webql('acquired:[14d TO *]'))
  })
})
