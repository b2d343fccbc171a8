import { expect, it } from 'vitest'
import { parseRobotsTag } from '../../../crawler/visit/x-robots-tag.ts'

it.each([
  [undefined, false, false],
  ['noindex', true, false],
  ['NoIndex, NoFollow', true, true],
  ['none', true, true],
  ['all', false, false],
  ['otherbot: noindex, nofollow', false, false],
  ['asof: noindex', true, false],
  ['otherbot: noindex, asof: nofollow', false, true],
  ['nofollow, otherbot: noindex', false, true],
  ['unavailable_after: 25 Jun 2030 15:00:00 PST', false, false],
  ['max-snippet: 20, noindex', true, false],
])('parses X-Robots-Tag %j as noindex %s, nofollow %s', (header, noindex, nofollow) => {
  expect(parseRobotsTag(header, 'asof')).toMatchObject({ noindex, nofollow })
})
