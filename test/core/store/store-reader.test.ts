import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../../../core/bytes/byte-buffer.ts'
import { Stream } from '../../../core/segment/streams.ts'
import { writeTermVector } from '../../../core/segment/term-vector.ts'
import { checksummed } from '../../../core/store/integrity/checksum.ts'
import { bodyKey, documentKey, firstNumberOfKey } from '../../../core/store/keys.ts'
import { packBodies } from '../../../core/store/records/body-pack.ts'
import { decodeStoredBody, encodeBody, encodeDocument } from '../../../core/store/records/documents.ts'
import { CacheCounts, StoreReader } from '../../../core/store/store-reader.ts'

/** A database that holds a value under every key, and counts the reads. */
function databaseOf(value: Uint8Array) {
  const reads: Uint8Array[] = []
  const getSync = (key: Uint8Array): Uint8Array => {
    reads.push(key)
    return checksummed(key, value)
  }
  return { reads, getSync }
}

describe('the document record of a capture', () => {
  it('is read and decoded once, and again for its term vector', () => {
    const vector = new ByteWriter(2)
    writeTermVector({ hashes: Uint16Array.of(7), frequencies: Uint8Array.of(2) }, vector)
    const texts = { url: 'https://example.com/', title: 'Zürich', language: 'de', values: '' }
    const database = databaseOf(encodeDocument(texts, vector.finish(), 3))
    const counts = new CacheCounts()
    const reader = new StoreReader(database, 100_000, counts)
    expect(reader.head(7)).toEqual({ texts, afterPack: 3 })
    expect(reader.head(7)).toBe(reader.head(7))
    expect(database.reads).toEqual([documentKey(7)])
    // What one thread counts, another can read.
    const { hits, misses } = new CacheCounts(counts.memory)
    expect({ hits, misses }).toEqual({ hits: 2, misses: 1 })
    expect(reader.termVector(7)?.hashes).toEqual(Uint16Array.of(7))
    expect(reader.termVector(7)?.hashes).toEqual(Uint16Array.of(7))
    expect(database.reads).toHaveLength(2)
    reader.clear()
    reader.termVector(7)
    expect(database.reads).toHaveLength(3)
    expect(reader.head(7)?.texts).toEqual(texts)
    expect(database.reads).toHaveLength(3)
  })

  it('is evicted from a full cache, the least recently used first', () => {
    const texts = { url: 'https://example.com/', title: '', language: '', values: '' }
    const database = databaseOf(encodeDocument(texts, Uint8Array.of(0), 0))
    // Two elevenths of the cache are for these, of 260 bytes each with what they cost in objects.
    const reader = new StoreReader(database, (11 / 2) * 10 * 260)
    for (let captureId = 0; captureId < 10; captureId++) reader.head(captureId)
    reader.head(0)
    reader.head(10)
    expect(database.reads).toHaveLength(11)
    reader.head(0)
    expect(database.reads).toHaveLength(11)
    reader.head(1)
    expect(database.reads).toHaveLength(12)
  })

  it('is looked up again if it was missing', () => {
    const reads: Uint8Array[] = []
    const reader = new StoreReader({ getSync: key => void reads.push(key) }, 100_000)
    expect(reader.head(1)).toBeUndefined()
    expect(reader.head(1)).toBeUndefined()
    expect(reads).toHaveLength(2)
  })
})

describe('the body of a capture', () => {
  it('is found in the pack that its record names, and its text is read once', () => {
    const encoded = ['one', 'zwölf'].map((text, i) => {
      const writer = new ByteWriter(64)
      encodeBody({ details: {}, markdown: text, text }, writer)
      return { captureId: 7 + i, bytes: writer.finish() }
    })
    const [pack] = [...packBodies(encoded)]
    const record = encodeDocument(
      { url: 'https://a.example/', title: '', language: '', values: '' },
      Uint8Array.of(0),
      1,
    )
    const reads: Uint8Array[] = []
    const getSync = (key: Uint8Array): Uint8Array | undefined => {
      reads.push(key)
      if (key[0] === documentKey(8)[0]) return checksummed(key, record)
      return firstNumberOfKey(key) === pack!.number ? checksummed(key, pack!.bytes) : undefined
    }
    const reader = new StoreReader({ getSync }, 100_000)
    expect(decodeStoredBody(reader.body(8)!, '').text).toBe('zwölf')
    for (let times = 0; times < 2; times++) expect(reader.text(8)!.piece(0)).toBe('zwölf')
    expect(reads).toEqual([documentKey(8), bodyKey(7), bodyKey(7)])
    expect(reader.body(10)).toBeUndefined()
    expect(reader.text(10)).toBeUndefined()
    const before = reads.length
    reader.clear()
    expect(reader.text(8)!.piece(0)).toBe('zwölf')
    expect(reads.slice(before)).toEqual([documentKey(8), bodyKey(7)])
  })
})

describe('a chunk of a segment', () => {
  it('is read once, unless its reader keeps what it needs', () => {
    const database = databaseOf(new Uint8Array(100))
    const chunks = new StoreReader(database, 100_000).chunks(3)
    for (let times = 0; times < 2; times++) chunks.get(Stream.postings, 0)
    expect(database.reads).toHaveLength(1)
    for (let times = 0; times < 2; times++) chunks.get(Stream.longPostings, 0, true)
    expect(database.reads).toHaveLength(3)
  })

  it('is kept if it fits into the share for which the cache was cleared', () => {
    const database = databaseOf(new Uint8Array(100))
    const reader = new StoreReader(database, 100_000)
    const chunks = reader.chunks(3)
    const readsInTwoRounds = (): number => {
      const before = database.reads.length
      for (let i = 0; i < 40; i++) chunks.get(Stream.postings, i % 20)
      return database.reads.length - before
    }
    expect(readsInTwoRounds()).toBe(20)
    reader.clear(1 / 16)
    expect(readsInTwoRounds()).toBe(40)
    reader.clear()
    expect(readsInTwoRounds()).toBe(20)
  })

  it('of a dictionary stays in the cache while many of positions are read', () => {
    const database = databaseOf(new Uint8Array(100))
    const chunks = new StoreReader(database, 100_000).chunks(3)
    chunks.get(Stream.dictionary, 0)
    for (let chunk = 0; chunk < 1_000; chunk++) chunks.get(Stream.positions, chunk)
    chunks.get(Stream.dictionary, 0)
    expect(database.reads).toHaveLength(1_001)
  })

  it('that is missing is reported as corrupt, with what to do', () => {
    const reader = new StoreReader({ getSync: () => undefined }, 1024)
    expect(() => reader.chunks(3).get(Stream.positions, 7)).toThrow(
      expect.objectContaining({
        code: 'ASOF_STORE_CORRUPT',
        message: expect.stringMatching(/segment 3 lacks chunk 7 .*asof doctor --repair/),
      }),
    )
  })
})
