import type { TermVector } from '../../segment/term-vector.ts'
import type { StoredValues } from '../store-reader.ts'
import type { DocumentRecord } from './documents.ts'
import type { PageText } from './page-text.ts'
import { readDocumentRecord, readPageText, readVector } from './stored-page.ts'

/**
 * Reads the records of captures for one answer. Caches texts, because ranking and results read the same ones.
 *
 * @throws ASOF_STORE_CORRUPT - from every method, if a record is missing or damaged.
 */
export class PageReader {
  readonly #store: StoredValues
  readonly #texts = new Map<number, PageText>()

  constructor(store: StoredValues) {
    this.#store = store
  }

  document(captureId: number): DocumentRecord {
    return readDocumentRecord(this.#store, captureId)
  }

  vector(captureId: number): TermVector {
    return readVector(this.#store, captureId)
  }

  /** Returns the beginning of the plain text: at most `units` UTF-16 units, and no more than the first piece. */
  beginning(captureId: number, units: number): string {
    const text = this.text(captureId)
    return text.count === 0 ? '' : text.piece(0).slice(0, units)
  }

  /** Returns the plain text. A piece of a long text is read when it is needed. */
  text(captureId: number): PageText {
    let text = this.#texts.get(captureId)
    if (!text) {
      text = readPageText(this.#store, captureId)
      this.#texts.set(captureId, text)
    }
    return text
  }
}
