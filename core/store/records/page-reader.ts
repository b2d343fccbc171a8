import type { StoredValues } from '../store-reader.ts'
import { type Body, type DocumentRecord, decodeDocument, decodeFirstText, decodeTermVector } from './documents.ts'
import { readBody, readText, storedBody, storedDocument } from './stored-page.ts'
import type { TermVector } from './term-vector.ts'

/** Number of document records that are kept: more than a search reads, unless it has endless ties. */
const MOST_DOCUMENTS = 4096

/**
 * Reads the records of captures for one answer. A record that was read to rank a capture is not read again to show it.
 *
 * @throws ASOF_STORE_CORRUPT - every method, if a record is missing or damaged.
 */
export class PageReader {
  readonly #store: StoredValues
  readonly #documents = new Map<number, Uint8Array>()
  /** The first pieces of texts. */
  readonly #texts = new Map<number, { first: string; isWhole: boolean }>()

  constructor(store: StoredValues) {
    this.#store = store
  }

  document(captureId: number): DocumentRecord {
    return decodeDocument(this.#documentBytes(captureId))
  }

  vector(captureId: number): TermVector {
    return decodeTermVector(this.#documentBytes(captureId))
  }

  body(captureId: number): Body {
    return readBody(this.#store, captureId)
  }

  /** The beginning of the plain text: at most `units` UTF-16 units, and at most its first piece. */
  beginning(captureId: number, units: number): string {
    let known = this.#texts.get(captureId)
    if (!known) {
      known = decodeFirstText(storedBody(this.#store, captureId))
      this.#texts.set(captureId, known)
    }
    return known.first.slice(0, units)
  }

  /** The plain text, piece by piece. */
  *text(captureId: number): Generator<string, void> {
    const known = this.#texts.get(captureId)
    if (known) yield known.first
    if (known?.isWhole) return
    let isFirst = known !== undefined
    for (const piece of readText(this.#store, captureId)) {
      if (!isFirst) yield piece
      isFirst = false
    }
  }

  #documentBytes(captureId: number): Uint8Array {
    let bytes = this.#documents.get(captureId)
    if (!bytes) {
      bytes = storedDocument(this.#store, captureId)
      if (this.#documents.size < MOST_DOCUMENTS) this.#documents.set(captureId, bytes)
    }
    return bytes
  }
}
