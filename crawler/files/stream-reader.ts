const LF = 10

/** Reads a source of bytes line by line and piece by piece. Keeps one chunk of the source in memory, and the line that it reads. */
export class StreamReader {
  readonly #source: AsyncIterator<Uint8Array>
  /** The bytes that are read next, before those of the source. */
  #rest: Uint8Array = new Uint8Array()

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns the next bytes, at least one and at most `maxBytes`. Undefined at the end of the source. */
  async piece(maxBytes: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next()
      if (next.done) return undefined
      this.#rest = next.value
    }
    const piece = this.#rest.subarray(0, maxBytes)
    this.#rest = this.#rest.subarray(piece.length)
    return piece
  }

  /**
   * Returns the bytes up to and with the next line feed: fewer if the source ends or the line is longer than `maxBytes`. Undefined at the
   * end of the source.
   */
  async line(maxBytes: number): Promise<Buffer | undefined> {
    const parts: Uint8Array[] = []
    for (let left = maxBytes; left > 0; ) {
      const piece = await this.piece(left)
      if (!piece) break
      const end = piece.indexOf(LF) + 1
      if (end === 0) {
        parts.push(piece)
        left -= piece.length
        continue
      }
      parts.push(piece.subarray(0, end))
      if (end < piece.length) this.giveBack(piece.subarray(end))
      break
    }
    return parts.length === 0 ? undefined : Buffer.concat(parts)
  }

  /** Puts bytes back, to be read again. */
  giveBack(bytes: Uint8Array): void {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([bytes, this.#rest])
  }

  /** Ends the source. */
  async close(): Promise<void> {
    await this.#source.return?.()
  }
}
