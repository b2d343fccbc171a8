import { describe, expect, it } from 'vitest'
import { CandidateTexts } from '../../../../core/search/pro/candidate-texts.ts'
import { WordPositions } from '../../../../core/search/pro/word-positions.ts'

const query = {
  terms: ['stone', 'bridg'],
  weights: [2, 1],
  idf: [2, 1],
  words: [
    { term: 0, word: 'stone', position: 0 },
    { term: 1, word: 'bridge', position: 1 },
  ],
}

function evidence(title: string, text: string) {
  const texts = new CandidateTexts(query.terms, [{ title, text }])
  return new WordPositions(texts, query, { decay: 10, distance: 3 }).evidence(0, 1)
}

describe('the places of the words of a query', () => {
  it('lead when they stand early, the title first', () => {
    expect(evidence('stone', '').lead).toBe(2)
    expect(evidence('', 'old stone').lead).toBeCloseTo(2 * Math.exp(-11 / 10), 12)
    expect(evidence('stone', 'stone stone').lead).toBe(2)
  })

  it('are a pair within the distance, in either order, by the smaller idf', () => {
    expect(evidence('', 'stone of the bridge').pairs).toBe(1 / 2)
    expect(evidence('', 'bridge of stone').pairs).toBe(1 / 2)
    expect(evidence('', 'stone of the old bridge').pairs).toBe(0)
    expect(evidence('stone', 'bridge').pairs).toBe(0)
  })

  it('are in order only as far apart as the query has them', () => {
    expect(evidence('', 'stone bridge').order).toBe(1 / 2)
    expect(evidence('', 'stone bridge and stone bridges').order).toBeCloseTo(2 / 3, 12)
    expect(evidence('', 'bridge stone').order).toBe(0)
    expect(evidence('', 'stone old bridge').order).toBe(0)
  })
})
