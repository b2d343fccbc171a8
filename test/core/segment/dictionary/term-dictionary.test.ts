import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  INLINE_POSTINGS,
  listUnit,
  STANDING_STORED_FROM,
  type StandingPlace,
  type TermEntry,
} from '../../../../core/segment/dictionary/dictionary-format.ts'
import { DictionaryWriter } from '../../../../core/segment/dictionary/dictionary-writer.ts'
import { Dictionary } from '../../../../core/segment/dictionary/term-dictionary.ts'
import { LONG_LIST_BYTES, Stream } from '../../../../core/segment/streams.ts'
import { damage, damaged, readDamaged } from '../damage.ts'
import { MemoryChunks } from '../memory-chunks.ts'
import { termPostings } from '../naive-index.ts'

const noStandingList: StandingPlace = { ended: 0, standingAt: 0, standingBytes: 0 }

/**
 * Every third term has its list in the dictionary, the others point to bytes elsewhere; from the 125th on these are aligned, and every fifth
 * has a standing list. Every seventh list is long.
 */
function entriesOf(terms: readonly string[]): TermEntry[] {
  const ends = { postings: 0, longPostings: 0, positions: 0 }
  return terms.map((term, i) => {
    const entry = {
      term,
      count: 0,
      postingsAt: 0,
      postingsBytes: 0,
      positionsAt: 0,
      positionsBytes: 0,
      ...noStandingList,
    }
    if (i % 3 === 0) {
      const inline = termPostings(
        Array.from({ length: (i % INLINE_POSTINGS) + 1 }, (_, p) => ({
          ordinal: p * (i + 1),
          frequency: i % 2 === 0 ? 1 : i + 1,
          positions: i % 4 === 0 ? [i * 50] : [p, i + p],
        })),
      )
      return { ...entry, count: inline.count, inline }
    }
    entry.count = INLINE_POSTINGS + i
    const unit = listUnit(entry.count)
    const stream = i % 7 === 0 ? 'longPostings' : 'postings'
    entry.postingsAt = padded(ends[stream], unit)
    entry.positionsAt = padded(ends.positions, unit)
    entry.postingsBytes = unit * ((i % 1000) + 1) + (i % 7 === 0 ? LONG_LIST_BYTES : 0)
    entry.positionsBytes = 2 * unit * (i + 1)
    ends[stream] = entry.postingsAt + entry.postingsBytes
    ends.positions = entry.positionsAt + entry.positionsBytes
    if (entry.count < STANDING_STORED_FROM || i % 5 > 0) return entry
    return { ...entry, ended: (i % entry.count) + 1, standingAt: 4 * i, standingBytes: 4 * ((i % 9) + 1) }
  })
}

function padded(offset: number, unit: number): number {
  return Math.ceil(offset / unit) * unit
}

function write(entries: readonly TermEntry[]): { chunks: MemoryChunks; count: number } {
  const chunks = new MemoryChunks()
  const writer = new DictionaryWriter(chunks)
  for (const entry of entries) writer.add(entry.term, entry, entry.inline)
  return { chunks, count: writer.finish() }
}

/** Buffers as arrays: whether bytes come as a Buffer is no matter. */
function plain(entry: TermEntry | undefined): unknown {
  return entry?.inline ? { ...entry, inline: { ...entry.inline, positions: [...entry.inline.positions] } } : entry
}

function ascending(terms: readonly string[]): string[] {
  return [...new Set(terms)].sort()
}

const term = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', 'b', 'é', '東', '𠮷', '\uffee') }),
  fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }).map(text => text.toWellFormed()),
  fc.integer({ min: 200, max: 5000 }).map(length => 'long'.repeat(length)),
)
const dictionaries = fc.array(term, { minLength: 1, maxLength: 250 }).map(terms => entriesOf(ascending(terms)))

describe('a term dictionary', () => {
  it('finds every term it was given, and no other', () => {
    fc.assert(
      fc.property(dictionaries, fc.array(term), (entries, others) => {
        const dictionary = new Dictionary(write(entries).chunks)
        for (const entry of entries) expect(plain(dictionary.find(entry.term))).toEqual(plain(entry))
        const known = new Set(entries.map(entry => entry.term))
        for (const other of [...others, '', '\uffff'])
          if (!known.has(other)) expect(dictionary.find(other)).toBeUndefined()
      }),
      { numRuns: 40 },
    )
  })

  it('lists its entries in order, beginning at any term', () => {
    fc.assert(
      fc.property(dictionaries, term, (entries, from) => {
        const dictionary = new Dictionary(write(entries).chunks)
        expect([...dictionary.entries()].map(plain)).toEqual(entries.map(plain))
        expect([...dictionary.entries(from)].map(plain)).toEqual(entries.filter(entry => entry.term >= from).map(plain))
      }),
      { numRuns: 40 },
    )
  })

  it('finds and lists terms across many chunks', () => {
    const entries = entriesOf(ascending(Array.from({ length: 9000 }, (_, i) => `prefix-${(i * 7919) % 9000}`)))
    const { chunks, count } = write(entries)
    expect(count).toBeGreaterThan(4)
    const dictionary = new Dictionary(chunks)
    for (const entry of entries)
      if (dictionary.find(entry.term)?.count !== entry.count) expect(entry.term).toBe('found')
    expect([...dictionary.entries()].map(entry => entry.term)).toEqual(entries.map(entry => entry.term))
    for (const [i, entry] of entries.entries())
      if (dictionary.find(`${entry.term}~`) !== undefined) expect(`${i} ${entry.term}~`).toBe('absent')
    const middle = entries[4567]!.term
    expect(dictionary.entries(middle).next().value).toEqual(entries[4567])
  })

  it('returns entries that stay valid while the listing continues', () => {
    const entries = entriesOf(ascending(['aa', 'ab', 'abc', 'b', 'ba', 'bab']))
    const dictionary = new Dictionary(write(entries).chunks)
    const kept = [...dictionary.entries()]
    expect(kept.map(plain)).toEqual(entries.map(plain))
  })

  it('gives the same entries through a cursor', () => {
    fc.assert(
      fc.property(dictionaries, entries => {
        const { chunks } = write(entries)
        const cursor = new Dictionary(chunks).cursor()
        const walked: unknown[] = []
        while (cursor.next()) {
          const { count, postingsAt, postingsBytes, positionsAt, positionsBytes, ended, standingAt, standingBytes } =
            cursor
          const term = Buffer.from(cursor.term.subarray(0, cursor.termBytes)).toString()
          const lists = { postingsAt, postingsBytes, positionsAt, positionsBytes, ended, standingAt, standingBytes }
          walked.push({ term, count, ...lists })
        }
        expect(walked).toEqual(entries.map(({ inline: _, ...entry }) => entry))
      }),
      { numRuns: 40 },
    )
  })

  it('may be empty', () => {
    const dictionary = new Dictionary(write([]).chunks)
    expect(dictionary.find('a')).toBeUndefined()
    expect([...dictionary.entries()]).toEqual([])
  })

  it('rejects terms that do not ascend', () => {
    const [a, b] = entriesOf(['a', 'b']) as [TermEntry, TermEntry]
    const writer = new DictionaryWriter(new MemoryChunks())
    writer.add(b.term, b, b.inline)
    expect(() => writer.add(a.term, a, a.inline)).toThrow(TypeError)
    expect(() => writer.add(b.term, b, b.inline)).toThrow(TypeError)
  })

  it('fails only as corrupt if one of its chunks is damaged', () => {
    fc.assert(
      fc.property(dictionaries, fc.constantFrom(Stream.index, Stream.dictionary), damage, (entries, stream, done) => {
        const { chunks } = write(entries)
        const name = `${stream}/0`
        chunks.chunks.set(name, damaged(chunks.chunks.get(name) ?? new Uint8Array(0), done))
        readDamaged(() => {
          const dictionary = new Dictionary(chunks)
          for (const entry of entries.slice(0, 20)) readDamaged(() => dictionary.find(entry.term))
          for (const _ of dictionary.entries());
        })
        readDamaged(() => {
          const cursor = new Dictionary(chunks).cursor()
          while (cursor.next());
        })
      }),
      { numRuns: 200 },
    )
  })

  it('is corrupt if a term shares more bytes with the term before than that has', () => {
    const { chunks } = write(entriesOf(['a', 'ab']))
    const bytes = chunks.get(Stream.dictionary, 0)
    const second = bytes.lastIndexOf('b'.charCodeAt(0)) - 1
    expect(bytes[second]).toBe(0x11)
    for (const shared of [2, 14]) {
      bytes[second] = shared * 16 + 1
      expect(() => [...new Dictionary(chunks).entries()]).toThrow(
        expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }),
      )
    }
  })

  it.each([
    ['more captures that ended than it has postings', { ended: 201 }],
    ['a standing list although it is too short for one', { count: 127 }],
  ])('is corrupt if a term has %s', (_, change) => {
    const lists = { count: 200, postingsBytes: 400, positionsBytes: 400, ended: 5, standingAt: 0, standingBytes: 8 }
    const chunks = new MemoryChunks()
    const writer = new DictionaryWriter(chunks)
    writer.add('a', { ...lists, ...change })
    writer.finish()
    expect(() => new Dictionary(chunks).find('a')).toThrow(expect.objectContaining({ code: 'ASOF_STORE_CORRUPT' }))
  })

  it('is rejected as newer if a newer asof wrote it', () => {
    for (const stream of [Stream.index, Stream.dictionary]) {
      const { chunks } = write(entriesOf(['a', 'b']))
      const bytes = chunks.get(stream, 0)
      bytes[0] = 2
      expect(() => new Dictionary(chunks).find('a')).toThrow(expect.objectContaining({ code: 'ASOF_STORE_FORMAT' }))
    }
  })
})
