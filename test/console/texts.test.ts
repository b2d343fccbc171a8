import { expect, it } from 'vitest'
import { texts } from '../../console/texts.ts'

it.each([
  [0, '1 second'],
  [1, '1 second'],
  [90, '90 seconds'],
  [91, '2 minutes'],
  [3_432, '58 minutes'],
  [3_600, '60 minutes'],
])('says a wait of %i s as %s', (seconds, text) => {
  expect(texts.errors.rateLimited(seconds)).toContain(`in ${text}.`)
})
