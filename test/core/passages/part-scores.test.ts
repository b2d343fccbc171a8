import { describe, expect, it } from 'vitest'
import { pageParts } from '../../../core/passages/page-parts.ts'
import { partScores } from '../../../core/passages/part-scores.ts'

/** Scores the parts of a page for words of the query, by their weights. */
function scoresOf(markdown: string, weights: Record<string, number>, title = ''): Record<string, number> {
  const words = Object.keys(weights)
  const found = words
    .flatMap((word, term) =>
      [...markdown.matchAll(new RegExp(`\\b${word}\\b`, 'gi'))].map(({ index }) => ({ term, offset: index })),
    )
    .sort((a, b) => a.offset - b.offset)
  const parts = pageParts(markdown, 2_000)
  const scores = partScores(
    parts,
    {
      starts: found.map(({ offset }) => offset),
      terms: found.map(({ term }) => term),
      inTitle: words.flatMap((word, term) => (title.includes(word) ? [term] : [])),
      weights: Object.values(weights),
    },
    found.map(({ offset }) => offset),
  )
  return Object.fromEntries(parts.map(({ start, end }, index) => [markdown.slice(start, end), scores[index]!]))
}

describe('partScores', () => {
  it('scores parts with more words, and with rarer words, higher', () => {
    const scores = scoresOf(
      'Gap.\n\nred fox\n\nGap one.\n\nGap two.\n\nfox here\n\nGap three.\n\nGap four.\n\nred here',
      {
        red: 1,
        fox: 3,
      },
    )
    expect(scores['red fox']).toBeGreaterThan(scores['fox here']!)
    expect(scores['fox here']).toBeGreaterThan(scores['red here']!)
    expect(scores['Gap four.']).toBeLessThan(scores['red here']!)
  })

  it('counts the words of headings above for the parts under them, the nearest most', () => {
    const scores = scoresOf('# fox\n\nFirst.\n\n## Other\n\nSecond.\n\n# None\n\nThird.\n\nFourth.', { fox: 1 })
    expect(scores['First.']).toBeGreaterThan(scores['Second.']!)
    expect(scores['Second.']).toBeGreaterThan(0)
    expect(scores['Fourth.']).toBe(0)
  })

  it('counts words of the title for every part, less than words of its own', () => {
    const scores = scoresOf('fox\n\nGap one.\n\nGap two.\n\nGap three.', { fox: 1 }, 'the fox')
    expect(scores['Gap three.']).toBeGreaterThan(0)
    expect(scores.fox).toBeGreaterThan(scores['Gap three.']!)
  })

  it('scores words that follow each other higher, in the order of the query most', () => {
    const far = 'and so on for more than forty letters of text'
    const scores = scoresOf(
      `red fox ${far}\n\nGap.\n\nGap two.\n\nfox red ${far}\n\nGap three.\n\nGap four.\n\nred ${far} fox`,
      {
        red: 1,
        fox: 1,
      },
    )
    expect(scores[`red fox ${far}`]).toBeGreaterThan(scores[`fox red ${far}`]!)
    expect(scores[`fox red ${far}`]).toBeGreaterThan(scores[`red ${far} fox`]!)
  })

  it('adds a share of the score of the better neighbor', () => {
    const scores = scoresOf('Gap one.\n\nGap two.\n\nfox\n\nGap three.', { fox: 1 })
    expect(scores['Gap two.']).toBeGreaterThan(0)
    expect(scores['Gap two.']).toBe(scores['Gap three.'])
    expect(scores['Gap one.']).toBe(0)
  })
})
