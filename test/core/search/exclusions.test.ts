import { expect, it } from 'vitest'
import { parseSearch } from '../../../core/search/parse-search.ts'

const codesOf = (query: string, options = {}) => parseSearch(query, options).warnings.map(({ code }) => code)

it.each(['-lamp', '-"red lamp" -desk', '-site:a.example', '-lamp site:a.example'])(
  'warns that %s only excludes pages',
  query => {
    const { asked, warnings } = parseSearch(query, {})
    expect(asked.kind).toBe('exclusions')
    expect(warnings).toEqual([
      { code: 'exclusions', text: 'the query only excludes pages, so it finds none: add a word that pages must have' },
    ])
  },
)

it.each(['lamp', 'red -lamp', '"red lamp" -desk', '- -', 'site:a.example', 'site:a.example -site:b.a.example'])(
  'does not warn so of %s',
  query => expect(codesOf(query)).not.toContain('exclusions'),
)

it('does not warn so in the full language, in which such a query finds pages', () => {
  expect(codesOf('-lamp', { mode: 'webql' })).toEqual([])
})
