import fc from 'fast-check'
import { ByteWriter } from '../../../core/bytes/byte-buffer.ts'
import { createColumns } from '../../../core/segment/columns/columns.ts'
import { ANYTHING, nextWordBit, nextWordHash } from '../../../core/segment/positions/next-word-signature.ts'
import { type Place, placeOf } from '../../../core/segment/positions/place.ts'
import { PostingCache } from '../../../core/segment/posting-cache.ts'
import type { TermPostings } from '../../../core/segment/postings/postings-codec.ts'
import { Segment } from '../../../core/segment/segment.ts'
import { SegmentWriter } from '../../../core/segment/segment-writer.ts'
import { MemoryChunks } from './memory-chunks.ts'

/** A capture as a plain list of its words: what an index of it must amount to. */
export interface NaiveCapture {
  captureId: number
  url: string
  acquiredAt: number
  publishedAt: number
  declared: boolean
  /** Term → ascending positions. The frequency is their number, or 1 without any, as with hosts. */
  terms: Map<string, number[]>
}

/** Term → per capture that holds it, in order: ordinal, frequency, positions and the signature of what follows. */
export type NaiveIndex = Map<string, { ordinal: number; frequency: number; positions: number[]; signature: number }[]>

/** Returns a function that gives the next-word signature of a term of a text. Several terms may occur at one position. */
export function naiveSignatures(
  terms: Iterable<readonly [term: string, positions: readonly number[]]>,
): (frequency: number, positions: readonly number[]) => number {
  const hashesAt = new Map<number, number[]>()
  for (const [term, positions] of terms) {
    const hash = nextWordHash(Buffer.from(term), 0, Buffer.byteLength(term))
    for (const position of positions) hashesAt.set(position, [...(hashesAt.get(position) ?? []), hash])
  }
  return (frequency, positions) => {
    const behind = new Set(positions.map(position => position + 1))
    const hashes = [...behind].flatMap(position => hashesAt.get(position) ?? [])
    if (frequency > 1) return hashes.reduce((bits, hash) => bits | nextWordBit(hash), 0)
    return hashes.length === 1 ? hashes[0]! : ANYTHING
  }
}

export function naiveIndex(captures: readonly NaiveCapture[]): NaiveIndex {
  const index: NaiveIndex = new Map()
  captures.forEach(({ terms }, ordinal) => {
    const signatureOf = naiveSignatures(terms)
    for (const [term, positions] of terms) {
      const postings = index.get(term) ?? []
      const frequency = Math.max(1, positions.length)
      postings.push({ ordinal, frequency, positions, signature: signatureOf(frequency, positions) })
      index.set(term, postings)
    }
  })
  return index
}

export function lengthOf({ terms }: NaiveCapture): number {
  return [...terms.values()].reduce((total, positions) => total + positions.length, 0)
}

/** The order of ordinals. */
export function byOrdinal(a: NaiveCapture, b: NaiveCapture): number {
  if (a.acquiredAt !== b.acquiredAt) return a.acquiredAt - b.acquiredAt
  if (a.url !== b.url) return a.url > b.url ? -1 : 1
  return a.captureId - b.captureId
}

const writer = new ByteWriter()

/** Positions as they follow their signature. Some occurrences are not written as the stem. */
export function encodedPositions(positions: readonly number[], signature: number): Uint8Array {
  return encodedPlaces(
    positions.map(position => placeOf(position, endingAt(position))),
    signature,
  )
}

/** Returns the ending of the occurrence at a position. It is 0 at most positions, so that some lists have no endings. */
export function endingAt(position: number): number {
  return (position >>> 4) % 5 === 1 ? position % 16 : 0
}

export function encodedPlaces(positions: readonly Place[], signature: number): Uint8Array {
  writer.clear()
  if (positions.length > 0) writer.u8(signature)
  let previous = 0
  for (const position of positions) {
    writer.varint(position - previous)
    previous = position
  }
  return writer.finish()
}

export function termPostings(
  postings: readonly { ordinal: number; frequency: number; positions: readonly number[]; signature?: number }[],
): TermPostings {
  const encoded = postings.map(({ positions, signature = ANYTHING }) => encodedPositions(positions, signature))
  return {
    count: postings.length,
    ordinals: Uint32Array.from(postings, ({ ordinal }) => ordinal),
    frequencies: Uint32Array.from(postings, ({ frequency }) => frequency),
    positionLengths: Uint32Array.from(encoded, bytes => bytes.length),
    positions: Buffer.concat(encoded),
  }
}

export function newCache(): PostingCache {
  return new PostingCache(2 ** 24)
}

/**
 * Writes captures, in the order of their ordinals, with the real writer.
 *
 * @param supersededAt - by ordinal. Default: all captures are current.
 */
export function writeSegment(
  id: number,
  captures: readonly NaiveCapture[],
  supersededAt: readonly number[] = [],
): { segment: Segment; chunks: MemoryChunks } {
  const columns = createColumns(captures.length)
  captures.forEach((capture, ordinal) => {
    columns.acquiredAt[ordinal] = capture.acquiredAt
    columns.publishedAt[ordinal] = capture.publishedAt
    columns.lengths[ordinal] = lengthOf(capture)
    columns.captureIds[ordinal] = capture.captureId
    columns.declared[ordinal] = capture.declared ? 1 : 0
    columns.supersededAt[ordinal] = supersededAt[ordinal] ?? Number.POSITIVE_INFINITY
  })
  const chunks = new MemoryChunks()
  const writer = new SegmentWriter(chunks, columns)
  const index = naiveIndex(captures)
  for (const term of [...index.keys()].sort()) writer.add(term, termPostings(index.get(term) ?? []))
  const info = writer.finish(id)
  return { segment: Segment.open(info, chunks, newCache()), chunks }
}

/** Everything a segment holds, read back through its public interface. */
export function readBack(segment: Segment): NaiveIndex {
  const index: NaiveIndex = new Map()
  for (const entry of segment.dictionary.entries()) {
    const { count, ordinals, frequencies } = segment.postings(entry)
    const list = segment.positions(entry)
    index.set(
      entry.term,
      Array.from({ length: count }, (_, i) => {
        const { count: found, values } = list.positions(i, { count: 0, values: new Uint32Array(1) })
        const positions = Array.from(values.subarray(0, found))
        return { ordinal: ordinals[i]!, frequency: frequencies[i]!, positions, signature: list.signature(i) }
      }),
    )
  }
  return index
}

/** Words whose lists are long, short and single, with shared beginnings and beyond ASCII. */
const vocabulary = ['a', 'ab', 'abc', 'b', 'é', '東京', '𠮷野', 'zebra', '@example.com', '@com', 'x'.repeat(300)]

const words = fc
  .array(fc.tuple(fc.constantFrom(...vocabulary), fc.integer({ min: 0, max: 300 })), { maxLength: 12 })
  .map(pairs => {
    const terms = new Map<string, number[]>()
    for (const [term, position] of pairs) terms.set(term, [...new Set([...(terms.get(term) ?? []), position])])
    for (const positions of terms.values()) positions.sort((a, b) => a - b)
    return terms
  })

const drafts = fc.record({
  url: fc.constantFrom('https://a.example/', 'https://b.example/', 'https://c.example/'),
  acquiredAt: fc.oneof(fc.integer({ min: 0, max: 5 }), fc.integer({ min: -1e15, max: 1e15 })),
  publishedAt: fc.oneof(fc.constant(Number.NaN), fc.integer({ min: -1e12, max: 1e12 })),
  declared: fc.boolean(),
  terms: words,
})

/** Captures in the order of ordinals, with distinct ids. */
export function naiveCaptures(size: { minLength: number; maxLength: number }): fc.Arbitrary<NaiveCapture[]> {
  return fc
    .array(drafts, size)
    .map(list => list.map((draft, i): NaiveCapture => ({ captureId: i + 1, ...draft })).sort(byOrdinal))
}
