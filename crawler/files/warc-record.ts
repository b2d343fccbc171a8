import { HeaderFields, withoutLineEnd } from './header-fields.ts'
import { badRecord } from './imported-record.ts'
import type { StreamReader } from './stream-reader.ts'

/** Maximum size of a record's headers and, separately, of its HTTP headers, bytes. */
export const MAX_HEADER_BYTES = 1024 * 1024

/** One record of a WARC file. Its block must be read before the next record. */
export class WarcRecord {
  /** The position of the record in the file, from 1. */
  readonly number: number
  readonly fields: HeaderFields
  readonly block: RecordBlock

  constructor(number: number, fields: HeaderFields, block: RecordBlock) {
    this.number = number
    this.fields = fields
    this.block = block
  }

  get type(): string {
    return this.fields.get('WARC-Type')?.toLowerCase() ?? ''
  }

  /** The URI that the record is about. Some software writes it in angle brackets. */
  get target(): string | undefined {
    return withoutBrackets(this.fields.get('WARC-Target-URI'))
  }
}

export function withoutBrackets(uri: string | undefined): string | undefined {
  return uri?.replace(/^<(.*)>$/, '$1')
}

/** Number of bytes at the end of a block that are searched for the next record. */
const TAIL_BYTES = 64 * 1024
const RECORD_START = /^WARC\/\d/
const RECORD_END = /\r?\n\r?\nWARC\/\d\.\d{1,3}\r?\n/

/** Returns true if a line begins a record. */
export function startsRecord(line: Uint8Array): boolean {
  return RECORD_START.test(Buffer.from(line.subarray(0, 20)).toString('latin1'))
}

/** How a block ended. */
export interface BlockEnd {
  /** False if the file ends inside of the block. */
  isWhole: boolean
  /** Number of bytes at the end of what was read that are not part of the block. */
  excess: number
}

/**
 * The content block of a record: as many bytes as its Content-Length says. If no record follows there, but one begins shortly before, the
 * block ends before that one: some software turns each CR LF of a file into LF, and leaves the lengths as they were.
 */
export class RecordBlock {
  readonly #reader: StreamReader
  #left: number
  /** What was read last. */
  #tail: Uint8Array[] = []
  #tailBytes = 0
  #end: BlockEnd | undefined

  constructor(reader: StreamReader, length: number) {
    this.#reader = reader
    this.#left = length
  }

  /** Number of bytes that were not read yet. */
  get left(): number {
    return this.#left
  }

  async line(maxBytes: number): Promise<Buffer | undefined> {
    return this.#left === 0 ? undefined : this.#took(await this.#reader.line(Math.min(this.#left, maxBytes)))
  }

  giveBack(bytes: Uint8Array): void {
    this.#reader.giveBack(bytes)
    this.#left += bytes.length
    this.#keep(Buffer.concat(this.#tail).subarray(0, -bytes.length))
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    while (this.#left > 0 && !this.#end) {
      const chunk = this.#took(await this.#reader.piece(this.#left))
      if (!chunk) return
      yield chunk
    }
  }

  /** Reads the rest of the block. */
  async end(): Promise<BlockEnd> {
    for await (const _ of this.chunks());
    this.#end ??= await this.#findEnd()
    return this.#end
  }

  async #findEnd(): Promise<BlockEnd> {
    const next = this.#left > 0 ? undefined : await this.#reader.line(TAIL_BYTES)
    if (next) this.#reader.giveBack(next)
    const follows = this.#left === 0 && (!next || next.toString('latin1').trim() === '' || startsRecord(next))
    if (follows) return { isWhole: true, excess: 0 }
    const tail = Buffer.concat(this.#tail)
    const found = RECORD_END.exec(Buffer.concat([tail, next ?? tail.subarray(0, 0)]).toString('latin1'))
    if (found && found.index < tail.length) {
      this.#reader.giveBack(tail.subarray(found.index))
      return { isWhole: true, excess: tail.length - found.index }
    }
    // The last record of such a file ends with the two line ends that follow a record.
    const isShortened =
      this.#left <= tail.filter(byte => byte === 10).length && tail.subarray(-2).equals(Buffer.from('\n\n'))
    return { isWhole: this.#left === 0 || isShortened, excess: isShortened ? 2 : 0 }
  }

  #took<T extends Uint8Array>(bytes: T | undefined): T | undefined {
    if (!bytes) return undefined
    this.#left -= bytes.length
    this.#tail.push(bytes)
    this.#tailBytes += bytes.length
    if (this.#tailBytes > 4 * TAIL_BYTES) this.#keep(Buffer.concat(this.#tail).subarray(-TAIL_BYTES))
    return bytes
  }

  #keep(tail: Uint8Array): void {
    this.#tail = [tail]
    this.#tailBytes = tail.length
  }
}

/**
 * Reads the named fields of a record, up to the empty line after them. Line ends are CR LF (ISO 28500, 4), or LF alone as some software
 * writes them.
 *
 * @throws ASOF_INVALID_CAPTURE - the fields exceed {@link MAX_HEADER_BYTES}.
 */
export async function readFields(source: Pick<StreamReader, 'line'>): Promise<HeaderFields> {
  const fields = new HeaderFields()
  for (let left = MAX_HEADER_BYTES; ; ) {
    const line = await source.line(left)
    if (!line) return fields
    left -= line.length
    if (left <= 0) throw badRecord(`the headers of the record exceed ${MAX_HEADER_BYTES} bytes`)
    const text = withoutLineEnd(line)
    if (text === '') return fields
    fields.readLine(text)
  }
}
