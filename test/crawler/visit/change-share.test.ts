import { expect, it } from 'vitest'
import { changeShare } from '../../../crawler/visit/change-share.ts'

it.each([
  ['one two three four', 'one two three four', 0],
  ['one two three four', 'Four, *three*, two… ONE!', 0],
  ['[one](https://a.org/1) two', '[one](https://a.org/2) two', 0],
  ['one two three four', 'one two three five', 2 / 5],
  ['one one one', 'one', 2 / 3],
  ['one', 'two', 1],
  ['', 'one', 1],
  ['', '', 0],
])('between "%s" and "%s" the share of changed words is %d', (before, after, share) => {
  expect(changeShare(before, after)).toBeCloseTo(share)
})
