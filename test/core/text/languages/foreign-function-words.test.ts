import { describe, expect, it } from 'vitest'
import {
  foreignFunctionWords,
  languagesWithFunctionWords,
} from '../../../../core/text/languages/foreign-function-words.ts'
import { hasStems } from '../../../../core/text/terms/language-terms.ts'
import { queryTerms } from '../../../../core/text/terms/query-terms.ts'

describe.each(languagesWithFunctionWords)('the function words of %s', language => {
  const words = [...foreignFunctionWords(language)!]

  it('are single words as a query folds them', () => {
    expect(words.flatMap(word => queryTerms(word).map(term => term.word))).toEqual(words)
  })

  it('belong to a language with stems', () => {
    expect(hasStems(language)).toBe(true)
  })
})

it.each(['', 'en', 'ja', 'constructor'])('%j has no list of its own', language => {
  expect(foreignFunctionWords(language)).toBeUndefined()
})
