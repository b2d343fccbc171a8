/** The tokens of a text, or of a pair of texts. */
export interface TokenIds {
  ids: readonly number[]
  /** For each token 0, or 1 in the second text of a pair. */
  types: readonly number[]
}

/** The largest id that a token may have. */
export const MAX_ID = 2 ** 20 - 1
