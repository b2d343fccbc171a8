import { MAX_RECORD_BYTES, type SourceRecord } from './import-records.ts'
import { badRecord } from './imported-record.ts'
import { joined, parseJson, tooLong } from './json-record.ts'

const [QUOTE, BACKSLASH, COMMA, NEWLINE] = [0x22, 0x5c, 0x2c, 0x0a]
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Splits JSON text into records without parsing it as a whole: the elements of an array, or values that follow each other. A splitter of
 * our own bounds the size of a record and knows its line. A parser that builds values while it reads does neither.
 */
export async function* jsonElements(source: AsyncIterable<Uint8Array>): AsyncGenerator<SourceRecord> {
  const splitter = new Splitter()
  for await (const chunk of source) yield* splitter.split(chunk)
  yield* splitter.end()
}

class Splitter {
  #line = 1
  /** The state of the array around the records. */
  #array: 'unknown' | 'none' | 'open' | 'closed' = 'unknown'
  /** Number of open brackets of the current record. */
  #depth = 0
  #isInString = false
  #isEscaped = false
  /** The parts of the current record before this chunk; undefined between records. */
  #parts: Uint8Array[] | undefined
  #size = 0
  #startLine = 0;

  *split(chunk: Uint8Array): Generator<SourceRecord> {
    let from = 0
    for (const [i, byte] of chunk.entries()) {
      if (byte === NEWLINE) this.#line++
      if (this.#parts === undefined) {
        if (!this.#begins(byte)) continue
        this.#parts = []
        this.#size = 0
        this.#startLine = this.#line
        from = i
      }
      const isEnd = this.#endsAfter(byte)
      if (isEnd === undefined) continue
      const end = isEnd === 'after' ? i + 1 : i
      yield this.#record(chunk.subarray(from, end))
      // The byte after a number or a literal may close the array.
      if (isEnd === 'before' && byte === CLOSE_LIST) this.#array = 'closed'
    }
    if (this.#parts === undefined) return
    this.#keep(chunk.subarray(from))
  }

  *end(): Generator<SourceRecord> {
    if (this.#parts !== undefined) {
      const isWhole = this.#depth === 0 && !this.#isInString
      const record = this.#record(new Uint8Array(0))
      yield isWhole ? record : { ...record, read: () => failing('the input ends inside this record') }
    } else if (this.#array === 'open')
      yield { where: `line ${this.#line}`, size: 0, read: () => failing('the input ends inside the array') }
  }

  /** True if a byte between records is the first byte of one. */
  #begins(byte: number): boolean {
    // White space, and the bytes of a byte order mark before the first record.
    if (byte <= 0x20 || (this.#array === 'unknown' && (byte === 0xef || byte === 0xbb || byte === 0xbf))) return false
    if (this.#array === 'unknown') {
      this.#array = byte === OPEN_LIST ? 'open' : 'none'
      return this.#array === 'none'
    }
    if (this.#array === 'open' && byte === CLOSE_LIST) {
      this.#array = 'closed'
      return false
    }
    return byte !== COMMA
  }

  /** Says whether the current record ends after this byte, before it, or not yet. */
  #endsAfter(byte: number): 'after' | 'before' | undefined {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (byte === BACKSLASH) this.#isEscaped = true
      else if (byte === QUOTE) {
        this.#isInString = false
        if (this.#depth === 0) return 'after'
      }
      return undefined
    }
    if (byte === QUOTE) this.#isInString = true
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#depth++
    else if (this.#depth === 0) {
      if (byte === COMMA || byte === CLOSE_LIST || byte <= 0x20) return 'before'
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      this.#depth--
      if (this.#depth === 0) return 'after'
    }
    return undefined
  }

  #keep(part: Uint8Array): void {
    this.#size += part.length
    if (this.#size > MAX_RECORD_BYTES) this.#parts = []
    else this.#parts?.push(part)
  }

  #record(lastPart: Uint8Array): SourceRecord {
    this.#keep(lastPart)
    const parts = this.#parts ?? []
    const size = this.#size
    const [isTooLong, isExtra] = [size > MAX_RECORD_BYTES, this.#array === 'closed']
    this.#parts = undefined
    this.#depth = 0
    this.#isInString = false
    return {
      where: `line ${this.#startLine}`,
      size,
      read: () => {
        if (isTooLong) throw tooLong()
        if (isExtra) throw badRecord('the record follows the end of the array')
        return parseJson(joined(parts, size))
      },
    }
  }
}

function failing(why: string): never {
  throw badRecord(why)
}
