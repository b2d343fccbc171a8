import { expect, it } from 'vitest'
import { isTrap } from '../../../crawler/discovery/traps.ts'

const nowAt = Date.UTC(2026, 5, 1)
const trap = (rest: string) => isTrap(new URL(`https://a.org${rest}`), nowAt)

it.each(['/calendar/2031/05', '/calendar/2031-05-12', '/?year=2031&month=5', '/?m=12&y=12026', '/events/2030-1/x'])(
  'calls %s a page of an endless calendar',
  rest => {
    expect(trap(rest)).toBe(true)
  },
)
it.each([
  '/2026/12/',
  '/1851/09/18/news',
  '/2027-01',
  '/v2031',
  '/2040',
  '/item/9999-12',
  '/rfc/8288/7',
  '/?year=2031',
  '/10.2031/05',
])('does not call %s a trap', rest => {
  expect(trap(rest)).toBe(false)
})
it('calls a URL a trap if a path segment or parameter repeats many times, or there are too many of them', () => {
  expect(trap('/a/b/a/b/a/b/a/b')).toBe(true)
  expect(trap('/?x=1&x=2&x=3&x=4')).toBe(true)
  expect(trap(`/?${Array.from({ length: 40 }, (_, i) => `p${i}`).join('&')}`)).toBe(true)
  expect(trap('/a/b/a/b?x=1&x=2')).toBe(false)
})
