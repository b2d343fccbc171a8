/** The tokens of a text, or of a pair of texts. */
export interface TokenIds {
  ids: readonly number[]
  /** For each token 0, or 1 in the second text of a pair. */
  types: readonly number[]
}
