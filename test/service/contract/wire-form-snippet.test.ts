import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markedRanges, markSnippet, plainSnippet } from '../../../service/contract/wire-form.ts'

describe('marking a snippet', () => {
  it('puts each highlight between two stars', () => {
    expect(
      markSnippet({
        text: 'the old harbour',
        highlights: [
          [0, 3],
          [8, 15],
        ],
      }),
    ).toBe('**the** old **harbour**')
  })

  it('returns the text unchanged without highlights', () => {
    expect(markSnippet({ text: 'plain', highlights: [] })).toBe('plain')
  })

  it('adds nothing but the markers', () => {
    const cuts = fc.uniqueArray(fc.nat(40), { maxLength: 10 }).map(list => list.sort((a, b) => a - b))
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', ' ', 'ß', '🚢'), minLength: 45 }), cuts, (text, at) => {
        const highlights: [number, number][] = []
        for (let i = 0; i + 1 < at.length; i += 2) highlights.push([at[i]!, at[i + 1]!])
        const marked = markSnippet({ text, highlights })
        expect(marked.replaceAll('**', '')).toBe(text)
        expect(marked.split('**').filter((_, i) => i % 2 === 1)).toEqual(highlights.map(([a, b]) => text.slice(a, b)))
      }),
    )
  })
})

it('the ranges of marked words are those of the text with its marks', () => {
  const snippet = {
    text: 'a big 😀 pool, a bridge',
    highlights: [
      [2, 5],
      [9, 13],
      [17, 23],
    ] as [number, number][],
  }
  const marked = markSnippet(snippet)
  expect(markedRanges(snippet).map(range => marked.slice(...range))).toEqual(['big', 'pool', 'bridge'])
})

it('a snippet loses the marks of its matched words, and no others', () => {
  const snippet = '**Ships** with ** stars … the **sea**'
  const snippet_highlights = [
    [2, 7],
    [32, 35],
  ]
  expect(plainSnippet({ snippet, snippet_highlights })).toBe('Ships with ** stars … the sea')
  expect([plainSnippet({}), plainSnippet({ snippet: '**a** b' })]).toEqual(['', '**a** b'])
})
