/** The role of a text. A model may embed a passage of a page and a query differently. */
export type TextKind = 'passage' | 'query'

/** Options of a call of a model. */
export interface ModelCall {
  /** Aborts when the result is no longer needed: the call took too long, or the engine closes. */
  signal: AbortSignal
}

/**
 * An embeddings model. It turns texts into vectors, which point in similar directions if the texts have similar
 * meanings. The caller of `open` provides the model, because the engine does not use the network.
 */
export interface Embedder {
  /**
   * Identifies the vectors of this model, 1 to 200 characters: its name, and everything else that changes the vectors,
   * such as a revision, a number of dimensions or a prefix of texts. Vectors of other models stay in the store but are
   * not used.
   */
  readonly model: string
  /**
   * The languages that the model knows, as BCP 47 tags such as `en`. Only pages and queries in one of them use vectors.
   * If the language of a text is unknown, as for a few words or names, its script decides. If the list changes, all
   * vectors must be computed again. Default: every language.
   */
  readonly languages?: readonly string[]
  /**
   * True if the model runs in this process. It is never unreachable, so that no time limit applies: adding captures and
   * searching take as long as the model takes. Default false: a capture waits for its vector up to 60 s, a query 1.5 s.
   */
  readonly isLocal?: boolean
  /**
   * Maximum length of a passage, in UTF-16 units, 1 to 65,536. If it changes, so must `model`. Default 2,000, which any
   * model can read in one piece.
   */
  readonly passageUnits?: number
  /**
   * Returns one vector for each text, in order. All vectors must have the same number of dimensions, 1 to 8,192. Their
   * lengths do not matter. If the promise rejects, searches show the message of the error in their `warning`.
   *
   * @param texts - 1 to 16 texts. A passage is the title, a line feed and the beginning of a page, at most `passageUnits`.
   */
  embed(texts: readonly string[], options: ModelCall & { kind: TextKind }): Promise<Float32Array[]>
}

/** A reranking model. It reads a query and texts together, and returns how well each text answers the query. */
export interface Reranker {
  /** The name of the model. The receipts of answers show it. */
  readonly model: string
  /**
   * Returns the relevance of each text, in order. A higher number is more relevant. Only the differences between the numbers count.
   *
   * @param texts - 1 to 25 texts, each the title and the beginning of a page, at most 2,000 UTF-16 units.
   */
  rerank(query: string, texts: readonly string[], options: ModelCall): Promise<number[]>
}
