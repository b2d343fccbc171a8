import type { TermVector } from '../segment/term-vector.ts'
import { MemoryStore } from '../store/memory-store.ts'
import type { BodyParts, DocumentHead } from '../store/records/documents.ts'
import { PageText } from '../store/records/page-text.ts'
import type { Operation } from '../store/store.ts'
import type { KeptCapture } from './kept-capture.ts'

/** The stored values of a part of an index. */
export class PartStore extends MemoryStore {
  /** Captures that several parts share. Their contents are read from here, and are not among the values of this store. */
  readonly #kept = new Map<number, KeptCapture>()

  override apply(operations: Iterable<Operation>): void {
    super.apply(operations)
    // Decoded values are cached. A value that changed in the whole index may be loaded again.
    this.clearCache()
  }

  /** Makes captures readable that several parts share. */
  keep(captures: readonly KeptCapture[]): void {
    for (const capture of captures) this.#kept.set(capture.captureId, capture)
    this.apply(captures.flatMap(({ values }) => values))
  }

  override head(captureId: number): DocumentHead | undefined {
    return this.#kept.get(captureId)?.head ?? super.head(captureId)
  }

  override termVector(captureId: number): TermVector | undefined {
    return this.#kept.get(captureId)?.termVector ?? super.termVector(captureId)
  }

  override body(captureId: number): BodyParts | undefined {
    return this.#kept.get(captureId)?.body ?? super.body(captureId)
  }

  override text(captureId: number): PageText | undefined {
    const kept = this.#kept.get(captureId)
    return kept ? new PageText(kept.body) : super.text(captureId)
  }

  override rest(captureId: number): Uint8Array | undefined {
    return this.#kept.get(captureId)?.body.rest() ?? super.rest(captureId)
  }
}
