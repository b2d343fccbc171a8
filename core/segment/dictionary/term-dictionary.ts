import { AsofError } from '@asof/extract/errors'
import { partitionPoint } from '../../bytes/binary-search.ts'
import { ByteReader, expectVersion } from '../../bytes/byte-buffer.ts'
import { VarintCursor } from '../../bytes/varint-cursor.ts'
import { compareTerms } from '../../text/terms/term-bytes.ts'
import { type ChunkSource, Stream } from '../streams.ts'
import { HALF_BYTE, RESTART_EVERY, type TermEntry, VERSION } from './dictionary-format.ts'
import { type EntryBytes, TermCursor } from './term-cursor.ts'
import { TermFilter } from './term-filter.ts'

/** The terms of a written segment. */
export class Dictionary {
  readonly #source: ChunkSource
  /** The first term of each chunk. */
  readonly #firstTerms: readonly string[]
  /** One cursor for all lookups, as a lookup probes several entries. */
  readonly #probe = new TermCursor()
  /** Read at the first lookup: a merge walks over the terms, and looks none up. */
  #filter: TermFilter | undefined

  /** @throws ASOF_STORE_CORRUPT - the index of the dictionary is missing or damaged. */
  constructor(source: ChunkSource) {
    this.#source = source
    const reader = new ByteReader(source.get(Stream.index, 0))
    expectVersion(reader, VERSION, 'term index')
    const firstTerms: string[] = []
    for (let n = reader.varint(); n > 0; n--) firstTerms.push(reader.string())
    this.#firstTerms = firstTerms
  }

  /** Returns true for every term of the segment, and false for about 99 in 100 other terms. Reads no entry. */
  mayHold(term: string): boolean {
    wanted.set(term)
    return this.#mayHoldWanted()
  }

  #mayHoldWanted(): boolean {
    this.#filter ??= new TermFilter(this.#source)
    return this.#filter.mayHold(wanted.bytes, wanted.length)
  }

  /** The entry of a term; undefined if the segment does not hold it. */
  find(term: string): TermEntry | undefined {
    wanted.set(term)
    const chunkNumber = this.#mayHoldWanted() ? this.#chunkOf(term) : -1
    if (chunkNumber < 0) return undefined
    const chunk = this.#chunk(chunkNumber)
    const restartsUpTo = partitionPoint(chunk.restarts, restart => compareAtRestart(chunk, restart) <= 0)
    if (restartsUpTo === 0) return undefined
    const probe = this.#probe
    probe.seek({ bytes: chunk.bytes, at: entryAt(chunk, restartsUpTo - 1) })
    for (let i = 0; i < RESTART_EVERY && probe.next(); i++) {
      const order = compareTerms(probe.term, 0, probe.termBytes, wanted.bytes, 0, wanted.length)
      if (order === 0) return probe.entry()
      if (order > 0) return undefined
    }
    return undefined
  }

  /** Every entry in ascending order, beginning at `from`. */
  *entries(from = ''): Generator<TermEntry> {
    const wanted = Buffer.from(from)
    const cursor = new TermCursor(this.#chunksFrom(this.#chunkOf(from)))
    while (cursor.next()) if (cursor.compare(wanted) >= 0) yield cursor.entry()
  }

  /** A cursor over all terms. */
  cursor(): TermCursor {
    return new TermCursor(this.#chunksFrom(0))
  }

  /**
   * A cursor that begins at or before `from`.
   *
   * @param isUnwanted - called with the prefix that all terms of a chunk share. The cursor leaves the chunk out, without
   *   reading it, if this returns true.
   */
  cursorFrom(from: string, isUnwanted: (prefix: string) => boolean): TermCursor {
    return new TermCursor(this.#chunksFrom(this.#chunkOf(from), isUnwanted))
  }

  /** The number of the chunk that would hold a term; −1 if it comes before all terms. */
  #chunkOf(term: string): number {
    return partitionPoint(this.#firstTerms.length, i => this.#firstTerms[i]! <= term) - 1
  }

  *#chunksFrom(first: number, isUnwanted?: (prefix: string) => boolean): Generator<EntryBytes> {
    const terms = this.#firstTerms
    for (let number = Math.max(0, first); number < terms.length; number++) {
      const next = terms[number + 1]
      if (isUnwanted && next !== undefined && isUnwanted(commonPrefix(terms[number]!, next))) continue
      const chunk = this.#chunk(number)
      yield { bytes: chunk.bytes, at: entryAt(chunk, 0) }
    }
  }

  #chunk(number: number): Chunk {
    const bytes = this.#source.get(Stream.dictionary, number)
    const reader = new ByteReader(bytes)
    expectVersion(reader, VERSION, 'term dictionary')
    const restarts = reader.varint()
    const tableAt = reader.at
    const entriesAt = tableAt + restarts * 4
    if (restarts === 0 || entriesAt >= bytes.length)
      throw new AsofError('ASOF_STORE_CORRUPT', `term dictionary chunk ${number} is empty`)
    return { bytes, restarts, tableAt, entriesAt }
  }
}

interface Chunk {
  bytes: Uint8Array
  /** Number of entries that are restarts. */
  restarts: number
  /** The offset of the table of the restarts, and of the first entry. */
  tableAt: number
  entriesAt: number
}

/** Returns the offset of the entry at a restart. */
function entryAt({ bytes, tableAt, entriesAt }: Chunk, restart: number): number {
  const at = tableAt + restart * 4
  return entriesAt + ((bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0)
}

/** The term that is looked up: the first `length` of `bytes`, in UTF-8. */
const wanted = {
  bytes: new Uint8Array(256),
  length: 0,

  set(term: string): void {
    if (this.bytes.length < term.length * MAX_BYTES_PER_UNIT)
      this.bytes = new Uint8Array(term.length * MAX_BYTES_PER_UNIT)
    const { bytes } = this
    this.length = term.length
    for (let at = 0; at < term.length; at++) {
      const unit = term.charCodeAt(at)
      bytes[at] = unit
      if (unit < 128) continue
      this.length = encoder.encodeInto(term, bytes).written
      return
    }
  },
}
const encoder = new TextEncoder()
const MAX_BYTES_PER_UNIT = 3
const varints = new VarintCursor(new Uint8Array(0))

/** Compares the term at a restart with the term that is looked up, without decoding the rest of the entry. */
function compareAtRestart(chunk: Chunk, restart: number): number {
  const { bytes } = chunk
  varints.bytes = bytes
  varints.at = entryAt(chunk, restart)
  // The ends of the lists before.
  for (let end = 0; end < 3; end++) varints.next()
  const halves = bytes[varints.at++]!
  const own = halves & HALF_BYTE
  const termBytes = own === HALF_BYTE ? own + varints.next() : own
  const end = varints.at + termBytes
  if (halves > HALF_BYTE || end > bytes.length)
    throw new AsofError('ASOF_STORE_CORRUPT', 'a restart of a term dictionary is not a term of its own')
  return compareTerms(bytes, varints.at, end, wanted.bytes, 0, wanted.length)
}

function commonPrefix(a: string, b: string): string {
  let length = 0
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return a.slice(0, length)
}
