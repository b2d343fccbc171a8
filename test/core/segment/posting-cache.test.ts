import { describe, expect, it } from 'vitest'
import { BLOCK } from '../../../core/bytes/bit-packing.ts'
import type { TermEntry } from '../../../core/segment/dictionary/dictionary-format.ts'
import { KeptArray } from '../../../core/segment/kept-array.ts'
import { type KeptTerms, PostingCache, type SegmentTerm } from '../../../core/segment/posting-cache.ts'
import { PostingList } from '../../../core/segment/postings/posting-list.ts'
import { type ListKey, SharedLists } from '../../../core/segment/shared-lists.ts'
import { TermStanding } from '../../../core/segment/standing/term-standing.ts'
import { Stream } from '../../../core/segment/streams.ts'
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

  it('has a share of its budget after it is cleared for one, and all of it after the next time', () => {
    const cache = new PostingCache(200_000)
    const first = terms()
    const openedInTwoRounds = (): number => {
      let opened = 0
      for (let i = 0; i < 40; i++)
        cache.term(first, `term${i % 20}`, () => {
          opened++
          return termOf(i)()
        })
      return opened
    }
    expect(openedInTwoRounds()).toBe(20)
    cache.clear(1 / 16)
    expect(openedInTwoRounds()).toBe(40)
    cache.clear()
    expect(openedInTwoRounds()).toBe(20)
  })
})

describe('the caches of threads that share lists', () => {
  const key: ListKey = { segment: 7, stream: Stream.postings, at: 4096 }
  const saturation = () => 0.5
  const shared = (first: number) => (): SegmentTerm => ({ ...termOf(first)(), key })
  const caches = (listBytes = 100_000): PostingCache[] => {
    const memory = SharedLists.memory(2, { listBytes, ownBytes: 20_000 })!
    return [0, 1].map(thread => new PostingCache(20_000, new SharedLists(memory, thread)))
  }

  it('read one copy of a list, in a memory in which each has arrays of its own', () => {
    const [one, other] = caches() as [PostingCache, PostingCache]
    const places = new Set<number>()
    one.reading(() => {
      const { list } = one.term(terms(), 'night', shared(5))!
      places.add(list.place!.at)
      expect(list.place!.arena).toBe(one.arena)
    })
    other.reading(() => {
      const { list, part } = other.sharedList(key, saturation)!
      places.add(list.place!.at)
      expect(list.place!.arena).toBe(other.arena)
      const first = terms()
      const term = other.term(first, 'night', () => ({ ...shared(5)(), list, part }))!
      expect(ordinalsOf(term)).toEqual(ordinalsOf(termOf(5)()))
      expect(list.windowMaxImpacts()).toEqual(termOf(5)().list.windowMaxImpacts())
      expect(other.term(first, 'night', never)).toBe(term)
      expect(other.sharedList({ ...key, segment: 8 }, saturation)).toBeUndefined()
      const array = other.array(new KeptArray<Uint16Array>(), { type: Uint16Array, length: 3 }, out => out.fill(9))
      expect(array.buffer).toBe(one.arena!.memory.buffer)
      places.add(array.byteOffset)
    })
    expect(places.size).toBe(2)
  })

  it('neither share nor find a list outside of a search', () => {
    const [one, other] = caches() as [PostingCache, PostingCache]
    const first = terms()
    expect(one.term(first, 'night', shared(0))!.part).toBeUndefined()
    other.reading(() => expect(other.sharedList(key, saturation)).toBeUndefined())
    other.reading(() => other.term(terms(), 'night', shared(0)))
    expect(one.sharedList(key, saturation)).toBeUndefined()
    one.reading(() => expect(one.sharedList(key, saturation)).toBeDefined())
  })

  it('keep a list that is used, and open one again that was evicted', () => {
    const [one, other] = caches(64_000) as [PostingCache, PostingCache]
    const first = terms()
    let opened = 0
    const use = (term: string, at: number): void => {
      one.reading(() => {
        const found = one.term(first, term, () => {
          opened++
          return { ...termOf(at)(), key: { ...key, at } }
        })
        expect(ordinalsOf(found!)).toEqual(ordinalsOf(termOf(at)()))
      })
    }
    for (let at = 0; at < 200; at++) {
      use(`other${at}`, at)
      use('used', 1000)
    }
    expect(opened).toBe(201)
    use('other0', 0)
    expect(opened).toBe(202)
    other.reading(() => expect(other.sharedList({ ...key, at: 1000 }, saturation)).toBeDefined())
  })
})
