import { expect, it } from 'vitest'
import { parseSearch } from '../../../core/search/parse-search.ts'

const WARNING = 'the query only excludes pages, so it finds none: add a word that pages must have'

it.each(['-lamp', '-"red lamp" -desk', '-site:a.example', '-lamp site:a.example'])(
  'warns that %s only excludes pages',
  query => expect(parseSearch(query, {}).warning).toBe(WARNING),
)

it.each(['lamp', 'red -lamp', '"red lamp" -desk', '- -', 'site:a.example', 'site:a.example -site:b.a.example'])(
  'does not warn so of %s',
  query => expect(parseSearch(query, {}).warning ?? '').not.toBe(WARNING),
)

it('does not warn so in the full language, in which such a query finds pages', () => {
  expect(parseSearch('-lamp', { mode: 'webql' }).warning).toBeUndefined()
})
