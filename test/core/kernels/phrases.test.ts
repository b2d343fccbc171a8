import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../core/bytes/byte-buffer.ts'
import { TopKKernel } from '../../../core/kernels/topk-kernel.ts'
import type { TopKQuery } from '../../../core/kernels/topk-query.ts'
import { BlockBuffers } from '../../../core/postings/block-buffers.ts'
import { PostingCursors } from '../../../core/postings/posting-cursor.ts'
import { hasEnding, type Place, placeOf, positionOf } from '../../../core/segment/positions/place.ts'
import { encodePositions, PositionList } from '../../../core/segment/positions/positions-codec.ts'
import { PostingCache } from '../../../core/segment/posting-cache.ts'
import { PostingList } from '../../../core/segment/postings/posting-list.ts'
import { encodePostings } from '../../../core/segment/postings/postings-codec.ts'
import { seed } from '../../histories.ts'
import { generator, randomFacts, segmentOf, urlOf } from '../random-segments.ts'
import { indexViewAt } from '../search/index-view.ts'
import { type Damage, damage, damaged } from '../segment/damage.ts'
import { encodedPlaces } from '../segment/naive-index.ts'

const CAPTURES = 900
const cache = new PostingCache(2 ** 26)
const facts = randomFacts(CAPTURES, generator(seed)).map(fact => ({ ...fact, supersededAt: Number.POSITIVE_INFINITY }))
const segment = segmentOf(1, facts, 0, cache)
const [view] = indexViewAt([segment], 1000).views
segment.term('w1')
const kernel = TopKKernel.over(cache.arena!)!

/** A word: its places in each capture, and the bytes of its list. */
interface Word {
  places: ReadonlyMap<number, readonly Place[]>
  list: PostingList
  positions: Uint8Array
}

function wordOf(places: ReadonlyMap<number, readonly Place[]>): Word {
  const encoded = [...places.values()].map(some => encodedPlaces(some, 0))
  const postings = {
    count: places.size,
    ordinals: Uint32Array.from(places.keys()),
    frequencies: Uint32Array.from(places.values(), some => some.length),
    positionLengths: Uint32Array.from(encoded, ({ length }) => length),
    positions: Buffer.concat(encoded),
  }
  const ofPostings = new ByteWriter()
  encodePostings(postings, () => 0.5, ofPostings)
  const ofPositions = new ByteWriter()
  encodePositions(postings, ofPositions)
  const list = PostingList.decode(ofPostings.finish(), places.size, CAPTURES, () => 0.5)
  return { places, list, positions: ofPositions.finish() }
}

/** Places in about one of `every` captures: short texts, some of which are `most` words long. */
function randomWord(next: () => number, every: number, most: number): Word {
  const places = new Map<number, Place[]>()
  for (let ordinal = 0; ordinal < CAPTURES; ordinal++) {
    if (next() * every >= 1) continue
    const count = 1 + Math.floor(next() ** 8 * most)
    let position = Math.floor(next() * 4)
    places.set(
      ordinal,
      Array.from({ length: count }, () => {
        const place = placeOf(position, next() < 0.3 ? Math.floor(next() * 16) : 0)
        position += 1 + Math.floor(next() ** 20 * 5000 + next() * 3)
        return place
      }),
    )
  }
  if (places.size === 0) places.set(0, [placeOf(0, 0)])
  return wordOf(places)
}

interface PhraseOf {
  words: readonly { word: Word; offset: number; endings: number | undefined }[]
}

function contains(ordinal: number, { words }: PhraseOf): boolean {
  const positions = words.map(
    ({ word, endings, offset }) =>
      new Set(
        (word.places.get(ordinal) ?? [])
          .filter(place => endings === undefined || hasEnding(place, endings))
          .map(place => positionOf(place) - offset),
      ),
  )
  const [first, ...others] = positions
  return [...first!].some(start => start >= 0 && others.every(starts => starts.has(start)))
}

function positionsOf({ list, positions }: Word, done?: Damage): PositionList {
  const bytes = done ? damaged(positions, done) : positions
  const range = (offset: number, length: number): Uint8Array => bytes.subarray(offset, offset + length)
  const copy = (offset: number, length: number, into: Uint8Array, at: number): void =>
    into.set(range(offset, length), at)
  return new PositionList({ range, around: () => ({ bytes, from: 0 }), copy }, list.count, bytes.length)
}

/** Asks for the captures with all phrases. @param tested - called for each capture that the kernel leaves to the condition. */
function ask(phrases: readonly PhraseOf[], tested: () => void, done?: Damage): TopKQuery {
  const lists = [...new Set(phrases.flatMap(({ words }) => words.map(({ word }) => word.list)))]
  return {
    k: CAPTURES,
    averageLength: 10,
    urlOf,
    views: [
      {
        ...view!,
        lists: lists.map(list => ({ list, weight: 1000, required: true })),
        cursors: new PostingCursors(new BlockBuffers()),
        adjacentWords: () => [],
        phrases: () =>
          phrases.map(({ words }) =>
            words.map(({ word, offset, endings }) => {
              return { list: word.list, offset, endings, positions: () => positionsOf(word, done) }
            }),
          ),
        isOnlyPhrases: true,
        published: undefined,
        onlyScored: true,
        condition: {
          size: CAPTURES,
          isExact: false,
          fill: (_, out) => out.fill(0xffff_ffff),
          matches: ordinal => {
            tested()
            return phrases.every(phrase => contains(ordinal, phrase))
          },
        },
        boost: undefined,
      },
    ],
  }
}

function found(query: TopKQuery): number[] {
  const hits = kernel.search(query)
  cache.reclaim()
  return hits!.map(({ ordinal }) => ordinal).sort((a, b) => a - b)
}

function expected(phrases: readonly PhraseOf[]): number[] {
  return Array.from({ length: CAPTURES }, (_, ordinal) => ordinal).filter(ordinal =>
    phrases.every(phrase => contains(ordinal, phrase)),
  )
}

const words = Array.from({ length: 6 }, (_, w) => randomWord(generator(seed + w), [1, 1, 1, 2, 5, 200][w]!, 60))
const word = fc.constantFrom(...words)
const endings = fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 0xffff }), fc.constant(1))
const phrase: fc.Arbitrary<PhraseOf> = fc.record({
  words: fc
    .array(fc.record({ word, step: fc.integer({ min: 0, max: 2 }), endings }), { minLength: 1, maxLength: 4 })
    .map(words => {
      let offset = 0
      return words.map(({ word, step, endings }, w) => {
        offset += w === 0 ? 0 : step
        return { word, offset, endings }
      })
    }),
})
const phrases = fc.array(phrase, { minLength: 1, maxLength: 3 })

describe(`phrases in the kernel (seed ${seed})`, () => {
  it('are found in exactly the captures that contain them, without a test of the condition', () => {
    let hits = 0
    fc.assert(
      fc.property(phrases, phrases => {
        let tests = 0
        const ordinals = found(ask(phrases, () => tests++))
        expect(ordinals).toEqual(expected(phrases))
        expect(tests).toBe(0)
        hits += ordinals.length
      }),
      { numRuns: 200 },
    )
    expect(hits).toBeGreaterThan(200)
  })

  it('are tested by the condition if they have too many words for the kernel', () => {
    const many = { words: Array.from({ length: 65 }, () => ({ word: words[0]!, offset: 0, endings: undefined })) }
    let tests = 0
    expect(found(ask([many], () => tests++))).toEqual(expected([many]))
    expect(tests).toBe(words[0]!.list.count)
  })

  it('are found in blocks that have no room beside one another, and tested by the condition in a block that has none', () => {
    const next = generator(seed)
    const long = (longest: number): Word => {
      const placesIn = (ordinal: number): Place[] =>
        Array.from({ length: ordinal % 128 === 7 ? longest : 1 }, (_, i) =>
          placeOf(i * 200 + Math.floor(next() * 3), 0),
        )
      return wordOf(new Map(Array.from({ length: 300 }, (_, ordinal) => [ordinal, placesIn(ordinal)])))
    }
    const any = { endings: undefined }
    for (const { longest, isTested } of [
      { longest: 100_000, isTested: false },
      { longest: 500_000, isTested: true },
    ]) {
      const pair = { words: [long(longest), long(longest)].map((word, offset) => ({ word, offset, ...any })) }
      let tests = 0
      expect(found(ask([pair], () => tests++))).toEqual(expected([pair]))
      expect(tests > 0).toBe(isTested)
    }
  })

  it('are found, or refused as corrupt, in damaged positions, and the next search answers as before', () => {
    const pair = { words: [words[0]!, words[3]!].map((word, offset) => ({ word, offset, endings: undefined })) }
    const intact = expected([pair])
    let refused = 0
    fc.assert(
      fc.property(damage, done => {
        try {
          for (const ordinal of found(ask([pair], () => {}, done))) expect(words[3]!.places.has(ordinal)).toBe(true)
        } catch (error) {
          expect(error).toMatchObject({ code: 'ASOF_STORE_CORRUPT' })
          refused++
        }
        cache.reclaim()
        expect(found(ask([pair], () => {}))).toEqual(intact)
      }),
      { numRuns: 400 },
    )
    expect(refused).toBeGreaterThan(40)
  })
})
