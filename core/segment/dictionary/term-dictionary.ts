import { AsofError } from '@asof/extract/errors'
import { partitionPoint } from '../../bytes/binary-search.ts'
import { ByteReader, expectVersion } from '../../bytes/byte-buffer.ts'
import { type ChunkSource, Stream } from '../streams.ts'
import { RESTART_EVERY, type TermEntry, VERSION } from './dictionary-format.ts'
import { type EntryBytes, TermCursor } from './term-cursor.ts'

/** The terms of a written segment. */
export class Dictionary {
  readonly #source: ChunkSource
  /** The first term of each chunk. */
  readonly #firstTerms: readonly string[]
  /** One cursor for all lookups, as a lookup probes several entries. */
  readonly #probe = new TermCursor()

  /** @throws ASOF_STORE_CORRUPT - the index of the dictionary is missing or damaged. */
  constructor(source: ChunkSource) {
    this.#source = source
    const reader = new ByteReader(source.get(Stream.index, 0))
    expectVersion(reader, VERSION, 'term index')
    const firstTerms: string[] = []
    for (let n = reader.varint(); n > 0; n--) firstTerms.push(reader.string())
    this.#firstTerms = firstTerms
  }

  /** The entry of a term; undefined if the segment does not hold it. */
  find(term: string): TermEntry | undefined {
    const chunkNumber = this.#chunkOf(term)
    if (chunkNumber < 0) return undefined
    const { restarts, entryAt } = this.#chunk(chunkNumber)
    const wanted = Buffer.from(term)
    const probe = this.#probe
    const restartsUpTo = partitionPoint(restarts, i => {
      probe.seek(entryAt(i))
      return probe.next() && probe.compare(wanted) <= 0
    })
    if (restartsUpTo === 0) return undefined
    probe.seek(entryAt(restartsUpTo - 1))
    for (let i = 0; i < RESTART_EVERY && probe.next(); i++) {
      const order = probe.compare(wanted)
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
      yield this.#chunk(number).entryAt(0)
    }
  }

  #chunk(number: number): { restarts: number; entryAt: (restart: number) => EntryBytes } {
    const bytes = this.#source.get(Stream.dictionary, number)
    const reader = new ByteReader(bytes)
    expectVersion(reader, VERSION, 'term dictionary')
    const restarts = reader.varint()
    const table = reader.at
    const entries = table + restarts * 4
    if (restarts === 0 || entries >= bytes.length)
      throw new AsofError('ASOF_STORE_CORRUPT', `term dictionary chunk ${number} is empty`)
    const entryAt = (restart: number): EntryBytes => {
      return { bytes, at: entries + new ByteReader(bytes, table + restart * 4).u32() }
    }
    return { restarts, entryAt }
  }
}

function commonPrefix(a: string, b: string): string {
  let length = 0
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++
  return a.slice(0, length)
}
