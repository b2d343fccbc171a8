import { describe, expect, it } from 'vitest'
import { BlockBuffers } from '../../../../core/postings/block-buffers.ts'
import { PostingCursors } from '../../../../core/postings/posting-cursor.ts'
import { openPhrase } from '../../../../core/search/clauses/phrase-matcher.ts'
import { type NaiveCapture, writeSegment } from '../../segment/naive-index.ts'

const texts = ['row row row your boat', 'row row your boat', 'row your row row boat', 'row row row row']
const captures = texts.map((text, i): NaiveCapture => {
  const terms = new Map<string, number[]>()
  for (const [position, word] of text.split(' ').entries()) terms.set(word, [...(terms.get(word) ?? []), position])
  const url = `https://example.com/${i}`
  return { captureId: i + 1, url, acquiredAt: i, publishedAt: Number.NaN, declared: false, terms }
})
const { segment } = writeSegment(1, captures)

const matcherOf = (...words: string[]) =>
  openPhrase(
    segment,
    words.map((term, offset) => ({ term, offset })),
    new PostingCursors(new BlockBuffers()),
  )!

describe('a phrase that repeats a word', () => {
  it('is found where the word stands as often, one after the other', () => {
    const matcher = matcherOf('row', 'row', 'row')
    const starts = texts.map((_, ordinal) => {
      const { count, values } = matcher.startsIn(ordinal)
      return [...values.subarray(0, count)]
    })
    expect(starts).toEqual([[0], [], [], [0, 1]])
  })

  it('a thousand times needs no more tests of a page than the word twice', () => {
    const [twice, often] = [2, 1_000].map(count => matcherOf(...Array<string>(count).fill('row')))
    expect(often!.adjacentWords()).toHaveLength(1)
    expect(often!.adjacentWords()).toEqual(
      twice!.adjacentWords().map(word => ({ ...word, signatures: expect.any(Function) })),
    )
    let advances = 0
    const [cursor] = often!.cursors
    const advance = cursor!.advance.bind(cursor)
    cursor!.advance = ordinal => {
      advances++
      return advance(ordinal)
    }
    for (const ordinal of texts.keys()) expect(often!.startsIn(ordinal).count).toBe(0)
    expect(advances).toBe(texts.length)
  })
})
