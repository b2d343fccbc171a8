import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Sql } from 'postgres'

/** A value of a column: a `bigint`, an `int`, a `text` or a `bytea`. */
type Cell = { bigint: number | undefined } | { int: number } | { text: string } | { bytea: Uint8Array }

const HEAD = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1')
/** Rows are sent in pieces of about this size. */
const PIECE_BYTES = 1024 * 1024

/** Writes rows into a table of PostgreSQL by `COPY` in binary format. */
export class CopyStream {
  readonly #stream: Writable
  #piece = Buffer.allocUnsafe(2 * PIECE_BYTES)
  #at = 0

  private constructor(stream: Writable) {
    this.#stream = stream
    this.#at = HEAD.copy(this.#piece)
  }

  /** @param columns - the names of the columns, in the order of the cells. */
  static async into(sql: Sql, table: string, columns: readonly string[]): Promise<CopyStream> {
    return new CopyStream(
      await sql.unsafe(`copy ${table} (${columns.join(', ')}) from stdin with (format binary)`).writable(),
    )
  }

  async write(rows: Iterable<readonly Cell[]>): Promise<void> {
    for (const row of rows) {
      this.#reserve(2)
      this.#at = this.#piece.writeInt16BE(row.length, this.#at)
      for (const cell of row) this.#put(cell)
      if (this.#at > PIECE_BYTES) await this.#send()
    }
  }

  async end(): Promise<void> {
    this.#reserve(2)
    this.#at = this.#piece.writeInt16BE(-1, this.#at)
    await this.#send()
    const finished = once(this.#stream, 'finish')
    this.#stream.end()
    await finished
  }

  #put(cell: Cell): void {
    if ('bytea' in cell) {
      this.#reserve(4 + cell.bytea.length)
      this.#at = this.#piece.writeInt32BE(cell.bytea.length, this.#at)
      this.#piece.set(cell.bytea, this.#at)
      this.#at += cell.bytea.length
    } else if ('text' in cell) {
      const bytes = Buffer.byteLength(cell.text)
      this.#reserve(4 + bytes)
      this.#at = this.#piece.writeInt32BE(bytes, this.#at)
      this.#at += this.#piece.write(cell.text, this.#at)
    } else if ('int' in cell) {
      this.#reserve(8)
      this.#at = this.#piece.writeInt32BE(4, this.#at)
      this.#at = this.#piece.writeInt32BE(cell.int, this.#at)
    } else if (cell.bigint === undefined) {
      this.#reserve(4)
      this.#at = this.#piece.writeInt32BE(-1, this.#at)
    } else {
      this.#reserve(12)
      this.#at = this.#piece.writeInt32BE(8, this.#at)
      this.#at = this.#piece.writeBigInt64BE(BigInt(cell.bigint), this.#at)
    }
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#piece.length) return
    const larger = Buffer.allocUnsafe(2 * (this.#at + bytes))
    this.#piece.copy(larger, 0, 0, this.#at)
    this.#piece = larger
  }

  async #send(): Promise<void> {
    const piece = Buffer.from(this.#piece.subarray(0, this.#at))
    this.#at = 0
    if (!this.#stream.write(piece)) await once(this.#stream, 'drain')
  }
}
