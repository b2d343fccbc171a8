import { expect, it } from 'vitest'
import { fieldPath } from '../../crawler/field-reason.ts'

it.each([
  [[], ''],
  [['query'], 'query'],
  [['quotes', '1', 'url'], 'quotes[1].url'],
  [['scope', 'include', '0'], 'scope.include[0]'],
])('the path %j is written %s, as the library names fields', (path, text) => {
  expect(fieldPath(path)).toBe(text)
})
