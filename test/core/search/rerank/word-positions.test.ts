import { describe, expect, it } from 'vitest'
import { WordPositions } from '../../../../core/search/rerank/word-positions.ts'

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
  return new WordPositions(query, 3).evidence({ title, text }, 1)
}

describe('term proximity', () => {
  it('counts pairs within the distance, in either order, with the smaller idf', () => {
    expect(evidence('', 'stone of the bridge').pairs).toBe(1 / 2)
    expect(evidence('', 'bridge of stone').pairs).toBe(1 / 2)
    expect(evidence('', 'stone of the old bridge').pairs).toBe(0)
    expect(evidence('stone', 'bridge').pairs).toBe(0)
  })

  it('counts order only for words exactly as far apart as in the query', () => {
    expect(evidence('', 'stone bridge').order).toBe(1 / 2)
    expect(evidence('', 'stone bridge and stone bridges').order).toBeCloseTo(2 / 3, 12)
    expect(evidence('', 'bridge stone').order).toBe(0)
    expect(evidence('', 'stone old bridge').order).toBe(0)
  })

  it('does not depend on the texts that were compared before', () => {
    const positions = new WordPositions(query, 3)
    const first = positions.evidence({ title: '', text: 'stone bridge' }, 1)
    positions.evidence({ title: 'bridge stone', text: 'stone stone bridge' }, 1)
    expect(positions.evidence({ title: '', text: 'stone bridge' }, 1)).toEqual(first)
  })
})
