import type { ChunkSource } from '../segment/streams.ts'
import type { TermVector } from '../segment/term-vector.ts'
import type { BodyParts, DocumentHead } from './records/documents.ts'
import type { PageText } from './records/page-text.ts'
import type { StoredValues, StoreReader } from './store-reader.ts'

/** The reads of a store. Each uses the current {@link reader}, because a store that is reopened gets a new one. */
export abstract class StoreReads implements StoredValues {
  protected abstract get reader(): StoreReader

  get(key: Uint8Array): Uint8Array | undefined {
    return this.reader.get(key)
  }

  head(captureId: number): DocumentHead | undefined {
    return this.reader.head(captureId)
  }

  termVector(captureId: number): TermVector | undefined {
    return this.reader.termVector(captureId)
  }

  body(captureId: number): BodyParts | undefined {
    return this.reader.body(captureId)
  }

  text(captureId: number): PageText | undefined {
    return this.reader.text(captureId)
  }

  rest(captureId: number): Uint8Array | undefined {
    return this.reader.rest(captureId)
  }

  chunks(segment: number): ChunkSource {
    return this.reader.chunks(segment)
  }

  clearCache(share = 1): void {
    this.reader.clear(share)
  }
}
