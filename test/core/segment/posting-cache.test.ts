import { describe, expect, it } from 'vitest'
import { BLOCK } from '../../../core/bytes/bit-packing.ts'
import type { TermEntry } from '../../../core/segment/dictionary/dictionary-format.ts'
import { KeptArray } from '../../../core/segment/kept-array.ts'
import { type KeptTerms, PostingCache, type SegmentTerm } from '../../../core/segment/posting-cache.ts'
import { PostingList } from '../../../core/segment/postings/posting-list.ts'
import { TermStanding } from '../../../core/segment/standing/term-standing.ts'
import { termPostings } from './naive-index.ts'

const entry: TermEntry = {
  term: 'night',
  count: 100,
  postingsAt: 0,
  postingsBytes: 0,
  positionsAt: 0,
  positionsBytes: 0,
  ended: 0,
  standingAt: 0,
  standingBytes: 0,
}

/** A list of 100 postings, which takes about 900 bytes. @param first - its first ordinal. */
const termOf = (first: number) => (): SegmentTerm => {
  const postings = termPostings(
    Array.from({ length: 100 }, (_, i) => ({ ordinal: first + i, frequency: 1, positions: [] })),
  )
  return {
    list: PostingList.inline(postings, 10_000, () => 0.5),
    entry,
    signatures: new KeptArray(),
    standing: new TermStanding(),
  }
}
const terms = (): KeptTerms => new Map()
const never = (): never => {
  throw new Error('opened again')
}
const ordinalsOf = ({ list }: SegmentTerm): number[] => {
  const out = new Uint32Array(BLOCK)
  return [...out.subarray(0, list.ordinals(0, out))]
}

describe('the cache of posting lists', () => {
  it('keeps lists and arrays in one memory', () => {
    const cache = new PostingCache(100_000)
    const first = terms()
    const term = cache.term(first, 'night', termOf(0))!
    expect(term.list.place?.arena).toBe(cache.arena)
    expect(cache.term(first, 'night', never)).toBe(term)
    const days = new KeptArray<Uint16Array>()
    const array = cache.array(days, { type: Uint16Array, length: 3 }, out => out.set([1, 2, 3]))
    expect(array.buffer).toBe(cache.arena!.memory.buffer)
    expect(cache.array(days, { type: Uint16Array, length: 3 }, never)).toBe(array)
    expect([...array]).toEqual([1, 2, 3])
  })

  it('remembers that a segment does not hold a term', () => {
    const cache = new PostingCache(100_000)
    const first = terms()
    expect(cache.term(first, 'night', () => undefined)).toBeUndefined()
    expect(cache.term(first, 'night', never)).toBeUndefined()
  })

  it('leaves evicted lists readable until the memory is reclaimed, and uses it again afterwards', () => {
    const cache = new PostingCache(10_000)
    const first = terms()
    const second = terms()
    const held = Array.from({ length: 20 }, (_, i) => cache.term(first, `word${i}`, termOf(i * BLOCK))!)
    for (const [i, term] of held.entries()) expect(ordinalsOf(term)[0]).toBe(i * BLOCK)
    // There was no room for the last ones.
    expect(held[19]!.list.place).toBeUndefined()
    cache.reclaim()
    expect(cache.term(first, 'word19', never)!.list.place).toBeDefined()
    expect(ordinalsOf(held[19]!)[0]).toBe(19 * BLOCK)
    for (let i = 0; i < 1000; i++) {
      cache.reclaim()
      expect(cache.term(second, `word${i}`, termOf(0))!.list.place).toBeDefined()
    }
    // Of terms that are no longer kept, nothing is.
    expect(first.size).toBe(0)
    expect(second.size).toBeLessThan(20)
  })

  it('keeps what is too large for it in ordinary memory', () => {
    const cache = new PostingCache(1000)
    expect(cache.term(terms(), 'night', termOf(0))!.list.place).toBeUndefined()
    const array = cache.array(new KeptArray<Uint8Array>(), { type: Uint8Array, length: 5000 }, out => out.fill(7))
    expect(array.buffer).not.toBe(cache.arena?.memory.buffer)
    expect(array[4999]).toBe(7)
    const first = terms()
    expect(new PostingCache(0).term(first, 'night', termOf(0))!.list.place).toBeUndefined()
    expect(first.size).toBe(0)
  })

  it('makes room for a large array whose search found only small pieces free', () => {
    const cache = new PostingCache(400_000)
    const small = Array.from({ length: 20 }, () => new KeptArray<Uint8Array>())
    for (const kept of small) cache.array(kept, { type: Uint8Array, length: 16_384 }, () => {})
    for (const [i, kept] of small.entries()) if (i % 2 === 1) cache.delete(kept)
    cache.reclaim()
    const large = new KeptArray<Uint8Array>()
    const ask = () => cache.array(large, { type: Uint8Array, length: 100_000 }, out => out.fill(7))
    expect(ask().buffer).not.toBe(cache.arena!.memory.buffer)
    cache.reclaim()
    const array = ask()
    expect(array.buffer).toBe(cache.arena!.memory.buffer)
    expect([array[0], array[99_999]]).toEqual([7, 7])
    // What was used last is still there.
    expect(small[18]!.array).toBeDefined()
  })

  it('gives its memory back when it is cleared', () => {
    const cache = new PostingCache(100_000)
    const first = terms()
    const term = cache.term(first, 'night', termOf(5))!
    cache.clear()
    expect(cache.arena).toBeUndefined()
    expect(ordinalsOf(term)[0]).toBe(5)
    expect(cache.term(first, 'night', termOf(9))).not.toBe(term)
  })
})
