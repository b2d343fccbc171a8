import { WordOffsets } from '../../text/terms/word-offsets.ts'
import { type BodyParts, decodePiece, type PieceCounts } from './documents.ts'
import type { PiecedText } from './text-edits.ts'

/** Measured memory of a text or a piece besides its characters, bytes. */
const OVERHEAD_BYTES = 500

/** A decoded piece of a text. */
export class TextPiece {
  readonly text: string
  /** Memory, bytes. */
  readonly bytes: number
  /** Undefined until it is needed. Null if the words can't be counted. */
  #words: WordOffsets | null | undefined

  /** @throws ASOF_STORE_CORRUPT */
  constructor(utf8: Uint8Array) {
    this.text = decodePiece(utf8)
    const { length } = this.text
    // A text of ASCII takes one byte for each character, and others mostly take two. The offsets of words take about a thirtieth.
    this.bytes = OVERHEAD_BYTES + (length === utf8.length ? length : 2 * length) + Math.ceil(length / 32)
  }

  /** The words of the piece. Undefined if a part of it is in a script without spaces. */
  get words(): WordOffsets | undefined {
    if (this.#words === undefined) this.#words = WordOffsets.of(this.text) ?? null
    return this.#words ?? undefined
  }
}

/** The plain text of a capture, in pieces. Only a text in one piece is kept here. */
export class PageText implements PiecedText {
  readonly count: number
  /** Memory, bytes. */
  readonly bytes: number
  readonly #counts: PieceCounts | undefined
  readonly #only: TextPiece | undefined
  readonly #read: (index: number) => TextPiece

  /**
   * @param read - returns a piece of a text in several pieces.
   * @throws ASOF_STORE_CORRUPT
   */
  constructor(parts: BodyParts, read: (index: number) => TextPiece = index => new TextPiece(parts.piece(index))) {
    this.count = parts.count
    this.#counts = parts.counts
    this.#only = parts.count === 1 ? new TextPiece(parts.piece(0)) : undefined
    this.#read = read
    this.bytes = this.#only?.bytes ?? OVERHEAD_BYTES + 16 * parts.count
  }

  /** @throws ASOF_STORE_CORRUPT */
  piece(index: number): string {
    return this.read(index).text
  }

  /**
   * Returns a piece with its words.
   *
   * @throws ASOF_STORE_CORRUPT
   */
  read(index: number): TextPiece {
    return this.#only ?? this.#read(index)
  }

  /** The lengths of the pieces. Undefined if the words can't be counted. */
  get counts(): PieceCounts | undefined {
    if (!this.#only) return this.#counts
    const { text, words } = this.#only
    if (!words) return undefined
    return {
      units: [text.length],
      words: [words.count],
      // The text is read only if the answer is needed.
      get hasSpelledOut() {
        return words.hasSpelledOut
      },
    }
  }
}
