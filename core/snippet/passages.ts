import { lowerBound } from '../bytes/binary-search.ts'

/** The occurrences of the terms of a query in a text, ascending by position. */
export interface MatchList {
  count: number
  /** The position of each occurrence, in words. */
  positions: ArrayLike<number>
  /** The term of each occurrence. */
  terms: ArrayLike<number>
}

/** A part of the text for a snippet, given by positions of tokens. */
export interface MatchSpan {
  /** Position of its first match. */
  first: number
  /** Position of its last match. */
  last: number
}

/** Maximum length of a passage in tokens, about two sentences. */
const SPAN = 24
/** Share of its weight that a term keeps once a chosen passage contains it. */
const SHOWN_AGAIN = 0.2
/** Share of its weight that each further occurrence of a term in a passage adds. */
const REPEATED = 0.1

/**
 * Chooses up to `limit` passages that together show the terms of the query best.
 *
 * @param weights - the weight of each term.
 * @returns the passages in the order of the text.
 */
export function choosePassages(matches: MatchList, weights: readonly number[], limit: number): MatchSpan[] {
  const worth = [...weights]
  const chosen: MatchSpan[] = []
  while (chosen.length < limit) {
    const best = bestPassage(matches, worth, chosen)
    if (!best) break
    const terms = termsOf(matches, best)
    // Each further passage must contain a term that no chosen passage contains.
    if (chosen.length > 0 && !terms.some(term => worth[term] === weights[term])) break
    chosen.push(best)
    for (const term of terms) worth[term] = weights[term]! * SHOWN_AGAIN
  }
  return chosen.sort((a, b) => a.first - b.first)
}

function bestPassage(
  { count, positions, terms }: MatchList,
  worth: readonly number[],
  taken: readonly MatchSpan[],
): MatchSpan | undefined {
  let best: MatchSpan | undefined
  let bestScore = 0
  const inSpan = new Int32Array(worth.length)
  let score = 0
  let last = 0
  for (let first = 0; first < count; first++) {
    const from = positions[first]!
    for (; last < count && positions[last]! < from + SPAN; last++) {
      const term = terms[last]!
      score += worth[term]! * (inSpan[term]!++ === 0 ? 1 : REPEATED)
    }
    const to = positions[last - 1]!
    if (score > bestScore * 1.000001 && !taken.some(other => from <= other.last + SPAN && other.first <= to + SPAN)) {
      bestScore = score
      best = { first: from, last: to }
    }
    const term = terms[first]!
    score -= worth[term]! * (--inSpan[term]! === 0 ? 1 : REPEATED)
  }
  return best
}

/** Returns the terms of a passage. */
function termsOf({ count, positions, terms }: MatchList, { first, last }: MatchSpan): number[] {
  const found = new Set<number>()
  for (let at = lowerBound(positions, count, first); at < count && positions[at]! <= last; at++) found.add(terms[at]!)
  return [...found]
}
