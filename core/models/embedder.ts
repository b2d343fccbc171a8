/** What a text is embedded for: models may tell a page from a question about it. */
export type TextKind = 'passage' | 'query'

/** How a model is asked. */
export interface ModelCall {
  /** Aborted when nobody waits for the answer any longer: it took too long, or the engine closes. */
  signal: AbortSignal
}

/**
 * Turns texts into vectors whose directions are near one another when the texts mean the same. The engine opens no
 * socket: whoever opens it brings a model along.
 */
export interface Embedder {
  /**
   * Tells the vectors of this model from all others, 1 to 200 characters: its name, and whatever else changes what it
   * makes of a text (a revision, a number of dimensions, a prefix). Vectors of another identity are never compared
   * with these; they remain in the store, unused.
   */
  readonly model: string
  /**
   * One vector for each text, in their order. All vectors of one identity have the same number of dimensions, 1 to
   * 8,192; their lengths do not matter. What it rejects with is told in the `warning` of a search by its message.
   *
   * @param texts - 1 to 16 of them; a passage has at most 2,000 UTF-16 units of a page, its title first.
   */
  embed(texts: readonly string[], options: ModelCall & { kind: TextKind }): Promise<Float32Array[]>
}

/** Tells how well each of some texts answers a query, reading both together. */
export interface Reranker {
  /** Names it in the receipts of answers. */
  readonly model: string
  /**
   * For each text how relevant it is, the more the higher; only differences count.
   *
   * @param texts - 1 to 25 of them, each at most 2,000 UTF-16 units of a page, its title first.
   */
  rerank(query: string, texts: readonly string[], options: ModelCall): Promise<number[]>
}
