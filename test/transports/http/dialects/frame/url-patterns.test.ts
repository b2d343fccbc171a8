import { expect, it } from 'vitest'
import { checkPatterns, matchesAny } from '../../../../../transports/http/dialects/frame/url-patterns.ts'

it('a text is matched by a part of it, by any of the patterns', () => {
  const texts = ['/docs/a', '/blog/docs/b', '/blog', '/']
  expect(matchesAny('select_paths', ['^/docs/', '/b$'], texts)).toEqual([true, true, false, false])
  expect(matchesAny('select_paths', [], texts)).toEqual([false, false, false, false])
})

it('a pattern that takes exponential time is refused, and does not hold up the server', () => {
  const before = performance.now()
  const texts = Array.from({ length: 5_000 }, () => `/${'a'.repeat(60)}!`)
  expect(() => matchesAny('exclude_paths', ['^/(a+)+$'], texts)).toThrow(/^exclude_paths: has a pattern that takes too/)
  expect(performance.now() - before).toBeLessThan(2_000)
})

it('a pattern that takes exponential time for the empty text does not hold up the server', () => {
  // Every repetition of the group can match nothing in two ways.
  const pattern = '(a?|b?){24}\\b'
  const before = performance.now()
  checkPatterns('select_paths', [pattern])
  expect(performance.now() - before).toBeLessThan(100)
  expect(() => matchesAny('select_paths', [pattern], ['!'])).toThrow(/^select_paths: has a pattern that takes too/)
})

it('texts that are no regular expressions are refused by their place', () => {
  expect(() => checkPatterns('select_paths', ['/docs/.*', '(a', 'b\u0007['])).toThrow(
    'select_paths[1]: is not a regular expression: (a; select_paths[2]: is not a regular expression: b',
  )
  expect(() => checkPatterns('select_paths', ['a'.repeat(501)])).toThrow(/^select_paths\[0\]: is not/)
  expect(() =>
    checkPatterns(
      'select_paths',
      Array.from({ length: 51 }, () => 'a'),
    ),
  ).toThrow('select_paths[50]: at most 50 patterns')
  expect(() => checkPatterns('select_paths', ['^/docs/', '.*'])).not.toThrow()
})
