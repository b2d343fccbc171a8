import type { Embedder } from '../models/embedder.ts'
import { modelIdentityOf } from '../models/model-languages.ts'
import { QueryVectors } from '../models/query-vectors.ts'
import { type PassageOptions, PassageVectors } from './passage-vectors.ts'

/** An embeddings model in use: it computes the vectors of queries and of captures. */
export class EmbeddingModel {
  /** The identity of the model's vectors: its name and its languages, see {@link modelIdentityOf}. */
  readonly identity: string
  readonly queries: QueryVectors
  readonly passages: PassageVectors

  constructor(embedder: Embedder, options: PassageOptions) {
    this.identity = modelIdentityOf(embedder)
    this.queries = new QueryVectors(embedder, options.stored, options.closing)
    this.passages = new PassageVectors(embedder, options)
  }
}
