import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PathRules } from '../../../../../crawler/index.ts'
import { pathPatterns } from '../../../../../transports/http/dialects/frame/path-patterns.ts'

/** True if the patterns for a regular expression match a path. */
function matches(expression: string, path: string): boolean {
  return new PathRules({ include: pathPatterns('paths', [expression]) }).fit(new URL(`https://example.com${path}`))
}

describe('patterns for regular expressions of paths', () => {
  it.each([
    ['^/docs/.*', ['/docs/*']],
    ['/docs', ['/docs', '/*/docs']],
    ['blog/.*', ['/*blog/*']],
    ['^/about$', ['/about$', '/about?*']],
    ['\\.html$', ['/*.html$', '/*.html?*']],
    ['.*/docs', ['/docs', '/*/docs']],
    ['^.*/docs', ['/docs', '/*/docs']],
    ['.*', ['/*']],
  ])('%s is %j', (expression, patterns) => {
    expect(pathPatterns('paths', [expression])).toEqual(patterns)
  })

  it.each(['(a|b)', '[ab]', 'a+', 'a?', 'a{2}', 'a.b', '\\d', 'a*', '^a|b', '(', 'a\\', '^docs', '^$', '^a.*'])(
    '%s is refused by its place',
    text => {
      const refused = () => pathPatterns('paths', ['/fine$', text])
      expect(refused).toThrow(
        expect.objectContaining({ kind: 'invalid_request', message: expect.stringContaining('paths[1]') }),
      )
    },
  )

  it('match the paths that the expression matches', () => {
    const piece = fc.constantFrom('/', 'a', 'b', 'docs', '-', '\\.', '.*')
    const expressions = fc
      .tuple(
        fc.constantFrom('', '^/', '.*', '^.*'),
        fc.array(piece, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('', '$'),
      )
      .map(([start, pieces, end]) => start + pieces.join('') + end)
    const paths = fc
      .array(fc.constantFrom('/', 'a', 'b', 'docs', '-', '.', 'x'), { maxLength: 6 })
      .map(parts => `/${parts.join('')}`)
    fc.assert(
      fc.property(expressions, paths, (expression, path) => {
        const { pathname } = new URL(`https://example.com${path}`)
        expect(matches(expression, path)).toBe(new RegExp(expression).test(pathname))
      }),
    )
  })
})
