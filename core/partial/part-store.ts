import type { TermVector } from '../segment/term-vector.ts'
import { MemoryStore } from '../store/memory-store.ts'
import type { BodyParts, DocumentHead } from '../store/records/documents.ts'
import type { Operation } from '../store/store.ts'
import type { KeptCapture } from './kept-capture.ts'

/** The stored values of a part of an index. */
export class PartStore extends MemoryStore {
  /** The captures that several parts share, whose contents are not among the values. */
  readonly #kept = new Map<number, KeptCapture>()

  override apply(operations: Iterable<Operation>): void {
    super.apply(operations)
    // A value may be loaded again after it changed elsewhere.
    this.clearCache()
  }

  /** Makes captures readable that are kept for several parts. */
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
}
