import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StreamId } from '../../../core/segment/streams.ts'
import {
  aliasKey,
  allAliases,
  allSegments,
  allSupersessions,
  bodyKey,
  chunkKey,
  claimKey,
  claimOfKey,
  claimsOf,
  describeKey,
  documentKey,
  documentRange,
  firstNumberOfKey,
  identityKey,
  justBelow,
  type KeyRange,
  manifestKey,
  secondNumberOfKey,
  segmentRange,
  supersessionKey,
  supersessionRange,
  urlKey,
  urlOfKey,
  wasteKey,
} from '../../../core/store/keys.ts'

const u32 = fc.oneof(fc.integer({ min: 0, max: 0xffff_fffe }), fc.integer({ min: 0, max: 300 }))
/** No segment holds enough captures for an ordinal to need its highest bits. */
const ordinals = fc.oneof(fc.nat(2 ** 28), fc.nat(300))
const stream = fc.integer({ min: 0, max: 4 }).map(number => number as StreamId)

/** Order as LevelDB has it. */
const order = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b)
const within = (key: Uint8Array, { gte, lt }: KeyRange): boolean => order(key, gte) >= 0 && order(key, lt) < 0

describe('a key', () => {
  it('orders as its numbers do', () => {
    fc.assert(
      fc.property(fc.tuple(u32, stream, u32), fc.tuple(u32, stream, u32), (a, b) => {
        const expected = a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
        expect(order(chunkKey(...a), chunkKey(...b))).toBe(Math.sign(expected))
        expect(order(supersessionKey(a[0], a[2]), supersessionKey(b[0], b[2]))).toBe(
          Math.sign(a[0] - b[0] || a[2] - b[2]),
        )
        expect(order(documentKey(a[0]), documentKey(b[0]))).toBe(Math.sign(a[0] - b[0]))
        expect(order(bodyKey(a[0]), bodyKey(b[0]))).toBe(Math.sign(a[0] - b[0]))
      }),
    )
  })

  it('decodes to what it was made of', () => {
    fc.assert(
      fc.property(u32, stream, u32, fc.webUrl(), (segment, streamId, number, url) => {
        expect(firstNumberOfKey(chunkKey(segment, streamId, number))).toBe(segment)
        expect(firstNumberOfKey(supersessionKey(segment, number))).toBe(segment)
        expect(secondNumberOfKey(supersessionKey(segment, number))).toBe(number)
        expect(urlOfKey(urlKey(url))).toBe(url)
        expect(urlOfKey(aliasKey(url))).toBe(url)
      }),
    )
  })

  it('has a lower neighbor that is not a key of the store', () => {
    fc.assert(
      fc.property(u32, u32, ordinals, stream, fc.webUrl(), (a, b, ordinal, streamId, url) => {
        const keys = [
          documentKey(b),
          bodyKey(b),
          chunkKey(b, streamId, ordinal),
          supersessionKey(b, ordinal),
          urlKey(url),
        ]
        for (const bound of [segmentRange(a).gte, segmentRange(a).lt, documentRange(a).lt, supersessionRange(a).lt]) {
          const below = justBelow(bound)
          expect(order(below, bound)).toBe(-1)
          for (const key of keys) expect(order(key, below)).toBe(order(key, bound) < 0 ? -1 : 1)
        }
      }),
    )
  })

  it('of a claim orders by URL, instant and alias, and leads back to them', () => {
    const instant = fc.oneof(
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.constantFrom(-1, 0, 1, 2 ** 32, -(2 ** 32)),
    )
    const claim = fc.record({
      url: fc.constantFrom('https://a.example/', 'https://a.example/x', 'https://b.example/'),
      at: instant,
      alias: fc.constantFrom('https://c.example/', 'https://c.example/x'),
    })
    const compare = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)
    fc.assert(
      fc.property(claim, claim, (a, b) => {
        expect(claimOfKey(claimKey(a))).toEqual(a)
        const expected = compare(a.url, b.url) || compare(a.at, b.at) || compare(a.alias, b.alias)
        expect(order(claimKey(a), claimKey(b))).toBe(expected)
        expect(within(claimKey(a), claimsOf(b.url))).toBe(a.url === b.url)
      }),
    )
  })

  it('is described by its kind and its number or URLs', () => {
    expect(describeKey(documentKey(7))).toBe('the record of a capture (7)')
    expect(describeKey(urlKey('https://a.example/'))).toBe('a URL record (https://a.example/)')
    expect(describeKey(claimKey({ url: 'https://a.example/', at: 7, alias: 'https://b.example/' }))).toBe(
      'an alias of a URL (https://a.example/ https://b.example/)',
    )
    expect(describeKey(wasteKey)).toBe('the note of waste')
  })

  it('decodes at any offset of a buffer', () => {
    const key = Buffer.concat([Buffer.alloc(3), supersessionKey(7, 9)]).subarray(3)
    expect([firstNumberOfKey(key), secondNumberOfKey(key)]).toEqual([7, 9])
  })

  it('lies in the range of its segment and kind, and in no other', () => {
    fc.assert(
      fc.property(u32, u32, stream, u32, (segment, other, streamId, number) => {
        const chunk = chunkKey(segment, streamId, number)
        const supersession = supersessionKey(segment, number)
        expect(within(chunk, segmentRange(other))).toBe(segment === other)
        expect(within(supersession, supersessionRange(other))).toBe(segment === other)
        for (const [key, range] of [
          [chunk, allSegments],
          [supersession, allSupersessions],
          [aliasKey('https://a.example/'), allAliases],
        ] as const)
          expect([allSegments, allSupersessions, allAliases].filter(candidate => within(key, candidate))).toEqual([
            range,
          ])
      }),
    )
  })

  it('of one kind is never a key of another kind', () => {
    const keys = [
      identityKey,
      manifestKey,
      documentKey(1),
      bodyKey(1),
      urlKey('x'),
      aliasKey('x'),
      chunkKey(1, 0, 1),
      supersessionKey(1, 1),
    ]
    expect(new Set(keys.map(key => key[0])).size).toBe(keys.length)
  })
})
