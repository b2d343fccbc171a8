import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ByteStreamId,
  ChunkedWriter,
  chunkBytes,
  readRange,
  Stream,
  type StreamId,
} from '../../../core/segment/streams.ts'
import { MemoryChunks } from './memory-chunks.ts'

describe.each<['postings' | 'long postings' | 'positions', ByteStreamId]>([
  ['postings', Stream.postings],
  ['long postings', Stream.longPostings],
  ['positions', Stream.positions],
])('the byte-addressed stream of %s', (_name, stream) => {
  const full = chunkBytes(stream)
  const TOTAL = full * 3 + 100
  const whole = Uint8Array.from({ length: TOTAL }, (_, i) => (i * 31 + (i >>> 8)) & 255)

  function streamOf(pieces: readonly number[]): MemoryChunks {
    const chunks = new MemoryChunks()
    const writer = new ChunkedWriter(chunks, stream)
    let at = 0
    for (let i = 0; at < TOTAL; i++) {
      const size = Math.min(TOTAL - at, pieces[i % pieces.length]!)
      writer.write(whole.subarray(at, at + size))
      at += size
    }
    expect(writer.length).toBe(TOTAL)
    writer.finish()
    return chunks
  }

  it('returns any range, however it was written', () => {
    const chunks = streamOf([full + 12, 4, 5000])
    const edge = fc.oneof(fc.integer({ min: 0, max: TOTAL }), fc.constantFrom(0, full, full * 2, full * 3, TOTAL - 4))
    fc.assert(
      fc.property(edge, edge, (a, b) => {
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        if (from >= TOTAL) return
        const read = readRange(chunks, stream, from, to - from)
        expect(Buffer.compare(read, whole.subarray(from, to))).toBe(0)
        if (from % 4 === 0) expect(read.byteOffset % 4).toBe(0)
      }),
    )
  })

  it('is padded with zeros to a multiple of any number of bytes', () => {
    const chunks = new MemoryChunks()
    const writer = new ChunkedWriter(chunks, stream)
    writer.align(4)
    writer.write(Uint8Array.of(1, 2, 3, 4, 5))
    writer.align(1)
    expect(writer.length).toBe(5)
    writer.align(4)
    writer.align(4)
    writer.finish()
    expect([...readRange(chunks, stream, 0, writer.length)]).toEqual([1, 2, 3, 4, 5, 0, 0, 0])
  })

  it('can be read from a source whose chunks become invalid with the next read', () => {
    const chunks = streamOf([7, 100_000])
    let before: Uint8Array | undefined
    const source = {
      get: (stream: StreamId, chunk: number) => {
        before?.fill(0)
        // As the store gives them: the slice of a Buffer is no copy.
        before = Buffer.from(chunks.get(stream, chunk))
        return before
      },
    }
    for (const [from, length] of [
      [100, 8],
      [full - 4, 12],
      [4, full * 3],
    ] as const)
      expect(Buffer.compare(readRange(source, stream, from, length), whole.subarray(from, from + length))).toBe(0)
  })

  it('has full chunks except for the last', () => {
    const chunks = streamOf([7, 100_000])
    expect([...chunks.chunks.values()].map(({ length }) => length)).toEqual([full, full, full, 100])
  })

  it('returns aligned bytes of an aligned offset even from chunks at odd addresses', () => {
    const bytes = Buffer.alloc(65)
    bytes.set(whole.subarray(0, 64), 1)
    const read = readRange({ get: () => bytes.subarray(1) }, stream, 4, 16)
    expect(read.byteOffset % 4).toBe(0)
    expect(Buffer.compare(read, whole.subarray(4, 20))).toBe(0)
  })

  it('is corrupt if a range reaches beyond its end', () => {
    const chunks = streamOf([5000])
    for (const [offset, length] of [
      [TOTAL - 10, 11],
      [0, 2 ** 50],
      [TOTAL + full * 5, 4],
      [2 ** 50, 4],
    ] as const)
      expect(() => readRange(chunks, stream, offset, length)).toThrow(
        expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }),
      )
  })

  it('is corrupt if a chunk in the middle is short or empty', () => {
    for (const length of [0, 1000]) {
      const chunks = streamOf([5000])
      chunks.chunks.set(`${stream}/1`, new Uint8Array(length))
      expect(() => readRange(chunks, stream, full - 100, 5000)).toThrow(
        expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }),
      )
    }
  })
})
