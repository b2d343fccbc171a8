import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { postingsByTerm } from '../../../core/ingest/postings-by-term.ts'
import { groupSorter, type UnorderedPostings } from '../../../core/kernels/group-sorter.ts'

const loaded = groupSorter()
if (!loaded) throw new Error('the tests run where WebAssembly has SIMD')
const sorter = loaded

interface Posting {
  term: number
  bytes: readonly number[]
}

function unorderedOf(terms: readonly string[], captures: readonly (readonly Posting[])[]): UnorderedPostings {
  const termBytes = terms.map(term => Buffer.from(term))
  const all = captures.flatMap((postings, capture) => postings.map(posting => ({ ...posting, capture })))
  const endsOf = (parts: readonly { length: number }[]) => {
    let end = 0
    return Uint32Array.from(parts, ({ length }) => {
      end += length
      return end
    })
  }
  return {
    terms: Buffer.concat(termBytes),
    termEnds: endsOf(termBytes),
    termIds: Uint32Array.from(all, ({ term }) => term),
    captureIndexes: Uint32Array.from(all, ({ capture }) => capture),
    ends: endsOf(all.map(({ bytes }) => bytes)),
    postings: Uint8Array.from(all.flatMap(({ bytes }) => bytes)),
  }
}

// Terms with common beginnings of any length, and with characters on both sides of the surrogates.
const term = fc
  .array(fc.constantFrom('a', 'b', ':url=', 'é', '東', '\ud7ff', '\ue000', '\uffff', '𐀀', '\u{10ffff}', 'abcdefgh'), {
    minLength: 1,
    maxLength: 12,
  })
  .map(parts => parts.join(''))
const posting = fc.record({ term: fc.nat(), bytes: fc.array(fc.nat(255), { maxLength: 20 }) })

describe('the group sorter', () => {
  it('orders postings by term as the sorter in TypeScript does', () => {
    const terms = fc.uniqueArray(term, { minLength: 1, maxLength: 120 })
    const captures = fc.array(fc.array(posting, { maxLength: 12 }), { maxLength: 300, size: '+1' })
    fc.assert(
      fc.property(terms, captures, (list, group) => {
        const postings = group.map(capture => capture.map(({ term, bytes }) => ({ term: term % list.length, bytes })))
        const once = postings.map(capture => [...new Map(capture.map(one => [one.term, one])).values()])
        const unordered = unorderedOf(list, once)
        expect(sorter.sort(unordered)).toEqual(postingsByTerm(unordered))
      }),
      { numRuns: 300 },
    )
  })

  it('sorts thousands of terms with a common beginning', () => {
    const terms = Array.from({ length: 5_000 }, (_, i) => `:url=common-beginning-${(i * 7919) % 5_000}`)
    const unordered = unorderedOf(terms, [terms.map((_, i) => ({ term: i, bytes: [i & 255] }))])
    expect(sorter.sort(unordered)).toEqual(postingsByTerm(unordered))
  })

  it('leaves a term that ends with a zero byte to the sorter in TypeScript', () => {
    for (const terms of [
      ['a\0', 'a'],
      ['abcdefgh', 'abcdefgh\0'],
    ])
      expect(sorter.sort(unorderedOf(terms, [[{ term: 0, bytes: [] }]]))).toBeUndefined()
    const inside = unorderedOf(['a\0b', 'a', `a${'\0'.repeat(16)}b`], [[{ term: 0, bytes: [] }]])
    expect(sorter.sort(inside)).toEqual(postingsByTerm(inside))
  })

  it('leaves far gaps between the captures of a term as they are', () => {
    const captures = Array.from({ length: 20_000 }, (_, i) => (i % 19_999 === 0 ? [{ term: 0, bytes: [1, 2, 3] }] : []))
    const unordered = unorderedOf(['a'], captures)
    expect(sorter.sort(unordered)).toEqual(postingsByTerm(unordered))
  })

  it('orders no postings', () => {
    const none = unorderedOf([], [])
    expect(sorter.sort(none)).toEqual(postingsByTerm(none))
  })

  it('leaves groups that do not fit into its memory, and very long terms, to TypeScript', () => {
    const one = unorderedOf(['a'], [[{ term: 0, bytes: [1] }]])
    expect(sorter.sort({ ...one, termEnds: new Uint32Array(200_000) })).toBeUndefined()
    expect(sorter.sort({ ...one, terms: new Uint8Array(4_000_000) })).toBeUndefined()
    expect(sorter.sort({ ...one, termIds: new Uint32Array(400_000) })).toBeUndefined()
    expect(sorter.sort({ ...one, postings: new Uint8Array(8_000_000) })).toBeUndefined()
    expect(sorter.sort(unorderedOf(['a'.repeat(2_049)], []))).toBeUndefined()
    expect(sorter.sort(unorderedOf(['a'.repeat(2_048), 'a'.repeat(2_047)], []))?.termEnds).toEqual(
      Uint32Array.of(2_047, 4_095),
    )
  })
})
