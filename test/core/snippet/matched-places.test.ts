import { describe, expect, it } from 'vitest'
import { matchedPlaces } from '../../../core/snippet/matched-places.ts'
import { TermScanner } from '../../../core/text/terms/term-scanner.ts'

/** A text in pieces of a length, without positions of an index. */
function sourceOf(text: string, pieceUnits: number) {
  const pieces = text.match(new RegExp(`[^]{1,${pieceUnits}}`, 'g')) ?? []
  return {
    text: { count: pieces.length, piece: (index: number) => pieces[index]! },
    firstMatch: () => text.indexOf('fox') / text.length,
    description: () => undefined,
  }
}

const query = { scanner: new TermScanner(['red', 'fox']), weights: [1, 2] }

describe('matchedPlaces', () => {
  it('says where the terms of the query are, and which of them the title has', () => {
    const places = matchedPlaces(sourceOf('A red fox. No reds, one fox.', 1_000), 'The fox', query)
    expect(places).toEqual({ starts: [2, 6, 14, 24], terms: [0, 1, 0, 1], inTitle: [1], weights: [1, 2] })
  })

  it.each([2, 40])('counts from the beginning of the page in a text of %i pieces of 64 Ki', count => {
    const text = `${'gap '.repeat((count - 1) * 16_384)}a red fox`
    const { starts } = matchedPlaces(sourceOf(text, 65_536), '', query)
    expect(starts).toEqual([text.indexOf('red'), text.indexOf('fox')])
  })

  it('returns no places for a text without the terms', () => {
    expect(matchedPlaces(sourceOf('Nothing.', 1_000), '', query)).toMatchObject({ starts: [], terms: [], inTitle: [] })
  })
})
