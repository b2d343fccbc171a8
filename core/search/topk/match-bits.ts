import { popCount } from '../../bytes/pop-count.ts'
import type { OpenedQuery } from '../../kernels/topk-query.ts'
import { newBits, type OrdinalBits, setBit } from '../../postings/ordinal-bits.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import { isValid } from '../../postings/segment-view.ts'
import { publishDay } from '../../segment/columns/publish-days.ts'
import { WINDOW } from '../../segment/postings/window-impacts.ts'
import type { MatchesElsewhere } from '../collection/collection.ts'
import { PossibleMatches } from './possible-matches.ts'

/** Windows that are read at a time: their bits, 8 KiB, stay in the fastest cache. */
const WINDOWS = 16

const span = new PossibleMatches(WINDOWS)

/** All captures that match a query, not only the best. Read when they are first needed, segment by segment. */
export class Matches {
  readonly views: readonly OpenedQuery[]
  /** The matches that are not in the views, if these have only a part of an index. */
  readonly elsewhere: MatchesElsewhere | undefined
  readonly #bits: OrdinalBits[] = []

  constructor(views: readonly OpenedQuery[], elsewhere?: MatchesElsewhere) {
    this.views = views
    this.elsewhere = elsewhere
  }

  /** The matches in the segment of a view, except those that are counted elsewhere. @param v - number of the view. */
  bitsOf(v: number): OrdinalBits {
    this.#bits[v] ??= matchBits(this.views[v]!, this.elsewhere)
    return this.#bits[v]
  }

  /** Number of all matches. */
  count(): number {
    const elsewhere = this.elsewhere?.count() ?? 0
    return this.views.reduce((sum, _, v) => sum + countBits(this.bitsOf(v)), elsewhere)
  }

  /** Number of matches, counted up to `most`. Reads no more of them. */
  countUpTo(most: number): number {
    if (this.elsewhere) return Math.min(most, this.count())
    let count = 0
    for (const view of this.views) {
      if (count >= most) break
      for (const _ of spansOf(view)) {
        count += countBits(span.bits)
        if (count >= most) break
      }
    }
    return Math.min(count, most)
  }
}

function matchBits(view: OpenedQuery, elsewhere: MatchesElsewhere | undefined): OrdinalBits {
  const matches = newBits(view.segment.captures)
  for (const base of spansOf(view)) {
    const begin = base / 32
    matches.set(span.bits.subarray(0, Math.min(span.bits.length, matches.length - begin)), begin)
  }
  const { captureIds } = view.segment.columns
  for (let ordinal = 0; elsewhere && ordinal < view.segment.captures; ordinal++)
    if (!elsewhere.leavesOut(captureIds[ordinal]!)) setBit(matches, ordinal, false)
  return matches
}

/** Number of members of a set. */
export function countBits(bits: OrdinalBits): number {
  let count = 0
  for (let i = 0; i < bits.length; i++) count += popCount(bits[i]!)
  return count
}

/** Reads the matches of one span after another into `span`. Yields the first ordinal of each. */
function* spansOf(view: OpenedQuery): Generator<number> {
  const { from, to } = view
  if (from >= to) return
  const first = Math.floor(from / WINDOW) * WINDOW
  for (let base = first; base < to; base += span.span) {
    checkSearchTime()
    span.read(view, base)
    keepMatches(view, base, span.bits)
    yield base
  }
}

/** Number of captures whose positions may be read between two checks of the search time. */
const BETWEEN_CHECKS = 64

/** Keeps the captures that are current at the instant, were published in time, and fulfill a condition that is not exact. */
function keepMatches(view: OpenedQuery, base: number, bits: OrdinalBits): void {
  const { segment, instant, published, condition } = view
  const { supersededAt } = segment.columns
  const days = published && segment.publishDaysAt(instant)
  const [firstDay, lastDay] = published ? [publishDay(published.from), publishDay(published.to)] : [0, 0]
  const isTested = condition?.isExact === false
  const ended = segment.endedBits()
  const first = base / 32
  let tested = 0
  for (let i = 0; i < bits.length; i++) {
    let kept = bits[i]!
    // If neither publish dates nor a condition are tested, only captures that may be superseded need a look.
    for (let word = days || isTested ? kept : kept & (ended?.[first + i] ?? 0); word !== 0; word &= word - 1) {
      const bit = word & -word
      const ordinal = base + i * 32 + (31 - Math.clz32(bit))
      if (!(supersededAt[ordinal]! > instant)) {
        kept &= ~bit
        continue
      }
      if (days) {
        const day = days[ordinal]!
        // A day between the first and the last one is within the window; at the ends the millisecond decides.
        if (
          day < firstDay ||
          day > lastDay ||
          ((day === firstDay || day === lastDay) && !isValid(view, ordinal, published))
        ) {
          kept &= ~bit
          continue
        }
      }
      if (!isTested) continue
      if (++tested % BETWEEN_CHECKS === 0) checkSearchTime()
      if (!condition.matches(ordinal)) kept &= ~bit
    }
    bits[i] = kept
  }
}
