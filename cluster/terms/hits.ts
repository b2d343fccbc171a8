/** A capture that a search found. What the search did not ask for is 0, or empty. */
export interface CaptureHit {
  id: number
  /** 0 if the search has an order of its own. */
  score: number
  /** Epoch ms. */
  acquiredAt: number
  /** Weighted number of words. */
  length: number
  /** The values by which captures were ordered. */
  sort: readonly (number | string)[]
  /** What each named query adds to the score. */
  scores: Readonly<Record<string, number>>
}

/** The same as OpenSearch gives it. */
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
