import { WordOffsets } from '../../text/terms/word-offsets.ts'
import { type BodyParts, decodePiece } from './documents.ts'
import type { PiecedText } from './text-edits.ts'

/** Measured memory of a text besides its characters, bytes. */
const OVERHEAD_BYTES = 500

/** The plain text of a capture, and where its words are. */
export class PageText implements PiecedText {
  readonly count: number
  /** Memory of a text in one piece, bytes. */
  readonly bytes: number
  /** Undefined for a text in one piece, of which everything else can be forgotten. */
  readonly #parts: BodyParts | undefined
  /** The first piece. Undefined until it is needed. */
  #first: string | undefined
  /** Undefined until it is needed. Null if the words of the first piece can't be counted. */
  #words: WordOffsets | null | undefined

  /** @throws ASOF_STORE_CORRUPT */
  constructor(parts: BodyParts) {
    this.count = parts.count
    this.bytes = OVERHEAD_BYTES
    if (parts.count > 1) this.#parts = parts
    else if (parts.count === 1) {
      const utf8 = parts.piece(0)
      this.#first = decodePiece(utf8)
      const { length } = this.#first
      // A text of ASCII takes one byte for each character, and others mostly take two. The offsets of words take about a thirtieth.
      this.bytes += (length === utf8.length ? length : 2 * length) + Math.ceil(length / 32)
    }
  }

  /**
   * Returns a piece.
   *
   * @throws ASOF_STORE_CORRUPT
   */
  piece(index: number): string {
    if (index > 0) return this.#read(index)
    this.#first ??= this.#read(0)
    return this.#first
  }

  /** The words of the first piece. Undefined if a part of it is in a script without spaces. */
  get words(): WordOffsets | undefined {
    if (this.#words === undefined) this.#words = WordOffsets.of(this.piece(0)) ?? null
    return this.#words ?? undefined
  }

  #read(index: number): string {
    if (!this.#parts || index >= this.count) throw new RangeError(`the text has no piece ${index}`)
    return decodePiece(this.#parts.piece(index))
  }
}
