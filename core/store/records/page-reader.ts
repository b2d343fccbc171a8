import type { TermVector } from '../../segment/term-vector.ts'
import type { StoredValues } from '../store-reader.ts'
import { type BodyDetails, type DocumentRecord, decodeFirstText, textPieces } from './documents.ts'
import { readBodyBeginning, readDocumentRecord, readVector, storedBody } from './stored-page.ts'
import type { PiecedText } from './text-edits.ts'

/**
 * Reads the records of captures for one answer. Caches texts, because ranking and results read the same ones.
 *
 * @throws ASOF_STORE_CORRUPT - from every method, if a record is missing or damaged.
 */
export class PageReader {
  readonly #store: StoredValues
  /** The first piece of each text. */
  readonly #texts = new Map<number, { first: string; isWhole: boolean }>()

  constructor(store: StoredValues) {
    this.#store = store
  }

  document(captureId: number): DocumentRecord {
    return readDocumentRecord(this.#store, captureId)
  }

  vector(captureId: number): TermVector {
    return readVector(this.#store, captureId)
  }

  /** Returns the properties of a page except its URL, title, language and text. */
  details(captureId: number): BodyDetails {
    return readBodyBeginning(this.#store, captureId, 0).details
  }

  /** Returns the beginning of the plain text: at most `units` UTF-16 units, and no more than the first piece. */
  beginning(captureId: number, units: number): string {
    let known = this.#texts.get(captureId)
    if (!known) {
      known = decodeFirstText(storedBody(this.#store, captureId))
      this.#texts.set(captureId, known)
    }
    return known.first.slice(0, units)
  }

  /** Returns the plain text in pieces. A piece is read when it is needed. */
  text(captureId: number): PiecedText {
    const known = this.#texts.get(captureId)
    return known?.isWhole ? { count: 1, piece: () => known.first } : textPieces(storedBody(this.#store, captureId))
  }
}
