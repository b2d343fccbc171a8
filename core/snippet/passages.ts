import type { TermMatch } from '../text/terms/term-scanner.ts'

/** One occurrence of a term of the query in the text. */
export type Match = Pick<TermMatch, 'position' | 'term'>

/** A part of the text for a snippet, given by positions of tokens. */
export interface Passage {
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
 * @param matches - ascending by position.
 * @param weights - the weight of each term.
 * @returns the passages in the order of the text.
 */
export function choosePassages(matches: readonly Match[], weights: readonly number[], limit: number): Passage[] {
  const worth = [...weights]
  const chosen: Passage[] = []
  while (chosen.length < limit) {
    const best = bestPassage(matches, worth, chosen)
    if (!best) break
    // Each further passage must contain a term that no chosen passage contains.
    if (chosen.length > 0 && !best.terms.some(term => worth[term] === weights[term])) break
    chosen.push(best.passage)
    for (const term of best.terms) worth[term] = weights[term]! * SHOWN_AGAIN
  }
  return chosen.sort((a, b) => a.first - b.first)
}

function bestPassage(
  matches: readonly Match[],
  worth: readonly number[],
  taken: readonly Passage[],
): { passage: Passage; terms: number[] } | undefined {
  let best: { passage: Passage; terms: number[] } | undefined
  let bestScore = 0
  const inSpan = new Int32Array(worth.length)
  let score = 0
  let last = 0
  for (let first = 0; first < matches.length; first++) {
    while (last < matches.length && matches[last]!.position < matches[first]!.position + SPAN) {
      const { term } = matches[last++]!
      score += worth[term]! * (inSpan[term]!++ === 0 ? 1 : REPEATED)
    }
    const passage = { first: matches[first]!.position, last: matches[last - 1]!.position }
    if (
      score > bestScore * 1.000001 &&
      !taken.some(other => passage.first <= other.last + SPAN && other.first <= passage.last + SPAN)
    ) {
      bestScore = score
      best = { passage, terms: [...inSpan.keys()].filter(term => inSpan[term]! > 0) }
    }
    const { term } = matches[first]!
    score -= worth[term]! * (--inSpan[term]! === 0 ? 1 : REPEATED)
  }
  return best
}
