import { expect, it } from 'vitest'
import { readSearch } from '../../../../../transports/http/dialects/brave/read.ts'

const search = (fields: Record<string, string> = {}) =>
  readSearch({ id: 'r', requestedAt: Date.UTC(2025, 5, 1), fields: { q: 'ships', ...fields } })

it('a search of Brave is a search of asof with these fields', () => {
  const { request, extraSnippets, warnings } = search({
    count: '5',
    offset: '2',
    freshness: '2025-01-01to2025-02-01',
    search_lang: 'de',
    spellcheck: 'false',
    extra_snippets: 'True',
    result_filter: 'news,web',
    safesearch: 'off',
    query_time: '2025-03-01',
  })
  expect(request).toEqual({
    query: 'ships',
    max_results: 5,
    offset: 10,
    published_after: '2025-01-01',
    published_before: '2025-02-01',
    language: 'de',
    strict: true,
    query_time: '2025-03-01',
    snippet_max_length: 300,
    include: ['passages'],
    passages_max_chars: 2_500,
    passage_max_chars: 500,
  })
  expect([extraSnippets, warnings]).toEqual([5, []])
  expect(search().request).toMatchObject({ max_results: 20, offset: 0, strict: false, include: undefined })
})

it.each([
  ['pd', '1d'],
  ['pw', '7d'],
  ['pm', '1mo'],
  ['py', '1y'],
])('the freshness %s is a filter by the publish date of %s', (freshness, published_after) => {
  expect(search({ freshness }).request).toMatchObject({ published_after })
})

it.each([
  [{ freshness: 'constructor' }, /^freshness: /],
  [{ count: '0' }, /^count: /],
  [{ count: '1e1' }, /^count: /],
  [{ goggles: 'x' }, /^goggles: /],
  [{ result_filter: 'videos' }, /^result_filter: /],
  [{ snapshot: '2025' }, /^snapshot: /],
])('with %j it is refused by name', (fields, message) => {
  expect(() => search(fields as unknown as Record<string, string>)).toThrow(message)
})

it('it is warned of what is left out, and not of what is about safety or units', () => {
  const { warnings } = search({ country: 'US', text_decorations: '1', units: 'metric', other: 'x' })
  expect(warnings.map(({ path }) => path)).toEqual(['country', 'other', 'text_decorations'])
})
