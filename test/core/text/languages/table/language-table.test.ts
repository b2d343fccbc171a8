import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isFunctionWord } from '../../../../../core/text/languages/function-words.ts'
import { english } from '../../../../../core/text/languages/table/english.ts'
import { german } from '../../../../../core/text/languages/table/german.ts'
import { LanguageTable } from '../../../../../core/text/languages/table/language-table.ts'
import { languages } from '../../../../../core/text/languages/table/languages.ts'

import { queryTerms } from '../../../../../core/text/terms/query-terms.ts'

const withStems = languages.stemmed

describe.each(withStems.filter(code => languages.functionWords(code) !== languages.functionWords('en')))(
  'the function words of %s',
  code => {
    it('are single words as a query folds them', () => {
      const words = [...languages.functionWords(code)]
      expect(words.flatMap(word => queryTerms(word).map(term => term.word))).toEqual(words)
    })
  },
)

it('has stems for other languages than English, whose words are their stems', () => {
  expect(withStems).not.toContain('en')
})

describe('the documents', () => {
  const read = (path: string): string =>
    readFileSync(resolve(import.meta.dirname, '../../../../..', path), 'utf8').replace(/\s+/g, ' ')
  const english = new Intl.DisplayNames('en', { type: 'language' })
  const namesOf = (codes: readonly string[]): string[] =>
    codes.map(code => (code === 'st' ? 'Sesotho' : english.of(code)!)).sort()
  const listed = (list: RegExp): string[] | undefined =>
    list.exec(read('docs/search-and-ranking.md'))?.[1]?.split(/, | or /)

  it('list the languages with stems, and count them', () => {
    expect(listed(/A page in ([^.]*) is also found/)).toEqual(namesOf(withStems))
    expect(read('README.md')).toContain(`English and ${withStems.length} other languages`)
    expect(read('CHANGELOG.md')).toContain(`${withStems.length + 1} languages`)
    expect(read('docs/packages.md')).toContain(`Snowball stemmers of ${withStems.length} languages`)
  })

  it('list the languages with function words', () => {
    const own = withStems.filter(code => languages.functionWords(code) !== languages.functionWords('en'))
    expect(listed(/these languages have a list of function words: ([^.]*)\./)).toEqual(namesOf(own))
  })
})

it.each(['', 'en', 'ja', 'constructor'])('%j has no function words of its own, so those of English count', code => {
  expect(languages.functionWords(code)).toBe(languages.functionWords('en'))
  expect(isFunctionWord('the', code)).toBe(true)
})

it.each([
  ['nb', 'no'],
  ['nn', 'no'],
  ['iw', 'he'],
  ['in', 'id'],
  ['ms', 'id'],
  ['ji', 'yi'],
  ['de', 'de'],
  ['xx', 'xx'],
  ['constructor', 'constructor'],
])('the code %s means %s', (code, language) => {
  expect(languages.codeOf(code)).toBe(language)
})

it('takes hint words of its own languages only', () => {
  const { all, english: ofEnglish, longest } = new LanguageTable([english, german]).hintWords
  expect(all.has('nicht')).toBe(true)
  expect(all.has('och')).toBe(false)
  expect([...ofEnglish].every(word => all.has(word))).toBe(true)
  expect(longest).toBe('nicht'.length)
})
