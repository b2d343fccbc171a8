import { expect, it } from 'vitest'
import { siteEntries } from '../../../../../transports/http/dialects/frame/sites.ts'
import type { DialectWarning } from '../../../../../transports/http/dialects/frame/warning.ts'

it.each([
  [undefined, undefined],
  [[], undefined],
  [['', ' '], undefined],
  [
    ['a.example', 'https://b.example/', 'HTTP://c.example/docs'],
    ['a.example', 'b.example', 'c.example/docs'],
  ],
  [['a.example/docs/*'], ['a.example/docs']],
])('the domains %j are the sites %j', (given, sites) => {
  const warnings: DialectWarning[] = []
  expect(siteEntries('includeDomains', given, warnings)).toEqual(sites)
  expect(warnings).toEqual([])
})

it('a wildcard before a domain also means the domain itself, with a warning', () => {
  const warnings: DialectWarning[] = []
  expect(siteEntries('includeDomains', ['*.a.example'], warnings)).toEqual(['a.example'])
  expect(warnings).toEqual([{ path: 'includeDomains', message: '*.a.example also means a.example itself' }])
})

it.each(['*.com', 'a.*.example', '*'])('the domain %s is refused by its place', domain => {
  expect(() => siteEntries('include_domains', ['a.example', domain], [])).toThrow(/^include_domains\[1\]: has a \*/)
})
