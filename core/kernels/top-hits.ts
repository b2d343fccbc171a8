import type { Segment } from '../segment/segment.ts'

/** A capture with its score in fixed-point units. */
export interface Hit {
  segment: Segment
  ordinal: number
  score: number
}

/** Reads the URL of a capture. Called only to break ties between segments. */
export type UrlOf = (captureId: number) => string

/**
 * Compares hits by score, then newer acquiredAt, then URL: a total order that does not depend on the layout of segments.
 *
 * @returns a negative number if `a` goes before `b`.
 */
export function compareHits(a: Hit, b: Hit, urlOf: UrlOf): number {
  if (a.score !== b.score) return b.score - a.score
  if (a.segment === b.segment) return b.ordinal - a.ordinal
  const acquiredA = a.segment.columns.acquiredAt[a.ordinal]!
  const acquiredB = b.segment.columns.acquiredAt[b.ordinal]!
  if (acquiredA !== acquiredB) return acquiredB - acquiredA
  const urlA = urlOf(a.segment.columns.captureIds[a.ordinal]!)
  const urlB = urlOf(b.segment.columns.captureIds[b.ordinal]!)
  return urlA < urlB ? -1 : urlA > urlB ? 1 : 0
}

/** The best hits found so far: a binary heap with the worst hit on top. */
export class TopHits {
  readonly #limit: number
  readonly #urlOf: UrlOf
  readonly #heap: Hit[] = []

  constructor(limit: number, urlOf: UrlOf) {
    this.#limit = limit
    this.#urlOf = urlOf
  }

  /** The least score that a hit must have to be one of the best so far. 0 while there is room. */
  get leastScore(): number {
    return this.#heap.length < this.#limit ? 0 : this.#heap[0]!.score
  }

  /** True if a hit with this score would be one of the best so far. */
  isCompetitive(segment: Segment, ordinal: number, score: number): boolean {
    return this.#heap.length < this.#limit || this.#compare({ segment, ordinal, score }, this.#heap[0]!) < 0
  }

  /** Adds a competitive hit. Drops the worst hit if there is no room. */
  push(hit: Hit): void {
    const heap = this.#heap
    if (heap.length < this.#limit) {
      heap.push(hit)
      this.#rise(heap.length - 1)
    } else {
      heap[0] = hit
      this.#sink()
    }
  }

  /** All hits, best first. */
  ranked(): Hit[] {
    return [...this.#heap].sort((a, b) => this.#compare(a, b))
  }

  #compare(a: Hit, b: Hit): number {
    return compareHits(a, b, this.#urlOf)
  }

  #rise(at: number): void {
    const heap = this.#heap
    while (at > 0) {
      const parent = (at - 1) >>> 1
      if (this.#compare(heap[at]!, heap[parent]!) <= 0) return
      const moved = heap[at]!
      heap[at] = heap[parent]!
      heap[parent] = moved
      at = parent
    }
  }

  #sink(): void {
    const heap = this.#heap
    for (let at = 0; ; ) {
      let worst = at
      for (const child of [2 * at + 1, 2 * at + 2])
        if (child < heap.length && this.#compare(heap[child]!, heap[worst]!) > 0) worst = child
      if (worst === at) return
      const moved = heap[at]!
      heap[at] = heap[worst]!
      heap[worst] = moved
      at = worst
    }
  }
}
