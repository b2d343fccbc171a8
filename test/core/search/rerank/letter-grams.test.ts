import { describe, expect, it } from 'vitest'
import { LetterGrams } from '../../../../core/search/rerank/letter-grams.ts'

const gramsOf = (...words: string[]) =>
  new LetterGrams({
    terms: words,
    weights: words.map(() => 1),
    idf: words.map(() => 1),
    words: words.map((word, term) => ({ term, word, position: term })),
  })
const page = (text: string, title = '') => ({ text, title })

describe('the letter grams of a query', () => {
  it('count the grams that a text shares with the query, with saturation', () => {
    // _riv, rive, iver, ver_
    expect(gramsOf('river').evidence(page('a river'), 1)).toBe(4 / 2)
    expect(gramsOf('river').evidence(page('a river, a river'), 1)).toBeCloseTo((4 * 2) / 3, 12)
    expect(gramsOf('river').evidence(page('stone'), 1)).toBe(0)
  })

  it('match compounds, capitals and accents', () => {
    expect(gramsOf('river').evidence(page('Riverbanks'), 1)).toBe(3 / 2)
    expect(gramsOf('ecole').evidence(page('École'), 1)).toBe(gramsOf('ecole').evidence(page('ecole'), 1))
    expect(gramsOf('cooperate').evidence(page('co\u00adoperate'), 1)).toBeGreaterThan(3)
  })

  it('count the title three times', () => {
    expect(gramsOf('river').evidence(page('', 'River'), 1)).toBe((4 * 3) / 4)
  })

  it('include words of two letters as a whole, and skip single letters', () => {
    expect(gramsOf('ai').evidence(page('an AI aid'), 1)).toBe(1 / 2)
    expect(gramsOf('c').evidence(page('c'), 1)).toBe(0)
  })

  it('skip scripts without spaces', () => {
    expect(gramsOf('東京').evidence(page('東京都'), 1)).toBe(0)
  })
})
