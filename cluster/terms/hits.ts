/** A capture that a search found. Parts that the search did not request are 0 or empty. */
export interface CaptureHit {
  id: number
  /** The score in the term index; 0 if the search orders by something else. */
  score: number
  /** Epoch ms. */
  acquiredAt: number
  /** Weighted number of words. */
  length: number
  /** The values by which the search ordered this capture. */
  sort: readonly (number | string)[]
  /** For each named query, the amount that it added to the score. */
  scores: Readonly<Record<string, number>>
}

/** A hit in the form of OpenSearch. */
export interface RawHit {
  _score?: number | null
  fields: { id: [number]; acquiredAt?: [number]; length?: [number] }
  sort?: (number | string)[]
  matched_queries?: Record<string, number>
}

export function hitOf({ _score, fields, sort = [], matched_queries: scores = {} }: RawHit): CaptureHit {
  const { id, acquiredAt = [0], length = [0] } = fields
  return { id: id[0], score: _score ?? 0, acquiredAt: acquiredAt[0], length: length[0], sort, scores }
}
