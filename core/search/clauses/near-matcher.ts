import { lowerBound } from '../../bytes/binary-search.ts'
import type { PhraseMatcher } from './phrase-matcher.ts'

/** Tests which captures contain two phrases near each other, in either order, both in the title or both in the text. */
export class NearMatcher {
  readonly #left: PhraseMatcher
  readonly #right: PhraseMatcher
  readonly #distance: number
  readonly #onlyTitle: boolean

  /**
   * @param distance - maximum number of positions from the last word of one phrase to the first word of the other. The
   *   phrases may not overlap.
   */
  constructor(left: PhraseMatcher, right: PhraseMatcher, distance: number, onlyTitle: boolean) {
    this.#left = left
    this.#right = right
    this.#distance = distance
    this.#onlyTitle = onlyTitle
  }

  matches(ordinal: number): boolean {
    const left = this.#left.startsIn(ordinal)
    if (left.count === 0) return false
    const right = this.#right.startsIn(ordinal)
    const leftTitle = this.#left.inTitle
    const rightTitle = this.#right.inTitle
    const inTitle = this.#isNear(left.values.subarray(0, leftTitle), right.values.subarray(0, rightTitle))
    if (inTitle || this.#onlyTitle) return inTitle
    return this.#isNear(left.values.subarray(leftTitle, left.count), right.values.subarray(rightTitle, right.count))
  }

  #isNear(left: Uint32Array, right: Uint32Array): boolean {
    const leftSpan = this.#left.span
    const rightSpan = this.#right.span
    for (const start of left) {
      const next = start + leftSpan + 1
      if (containsWithin(right, next, next + this.#distance - 1)) return true
      const last = start - rightSpan - 1
      if (containsWithin(right, last - this.#distance + 1, last)) return true
    }
    return false
  }
}

function containsWithin(ascending: Uint32Array, from: number, to: number): boolean {
  const at = lowerBound(ascending, ascending.length, from)
  return at < ascending.length && ascending[at]! <= to
}
