import { expect, it } from 'vitest'
import { hasQuotes, quoted } from '../../../../../transports/http/dialects/frame/phrases.ts'

it('phrases are quoted without quotation marks of their own', () => {
  expect(quoted('includeText', ['two words', 'a "quoted" one', '“x”'])).toEqual([
    '"two words"',
    '"a  quoted  one"',
    '"x"',
  ])
  expect(quoted('excludeText', ['two words'], '-')).toEqual(['-"two words"'])
})

it('a phrase without a word is refused by its place', () => {
  expect(() => quoted('includeText', ['word', '!!', ''])).toThrow(
    'includeText[1]: must have a word; includeText[2]: must have a word',
  )
})

it('a query that quotes something has quotes', () => {
  expect(['a "b" c', '„b“', "it's", ''].map(hasQuotes)).toEqual([true, true, false, false])
  // The answer does not depend on an earlier one.
  expect(hasQuotes('"b"') && hasQuotes('"b"')).toBe(true)
})
