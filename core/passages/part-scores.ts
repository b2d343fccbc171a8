import type { MatchedPlaces } from '../snippet/matched-places.ts'
import type { MarkdownPart } from './page-parts.ts'

/**
 * Parameters of BM25 for parts of pages. B is smaller than for pages: the lengths of parts differ less, and a short part is often the
 * answer.
 */
export const tuning = {
  K1: 1.2,
  B: 0.3,
  /** The length at which a part counts as neither long nor short, UTF-16 units. */
  USUAL_UNITS: 400,
  /** Shares of its weight that a term counts if the part does not have it, but a heading above it, or the title, does. */
  INHERITED: 0.7,
  INHERITED_FURTHER: 0.5,
  IN_TITLE: 0.3,
  /** Share of the lower of the weights of two terms that the part adds if they follow each other within {@link NEAR_UNITS}. */
  NEAR: 0.3,
  NEAR_UNITS: 40,
  /** Share of the score of the better neighbor that a part adds: what was asked for is often explained in the next paragraph. */
  NEIGHBOR: 0.3,
} as const

/**
 * Scores each part of a page by the terms in it and, with less weight, by those above it and beside it.
 *
 * @param found - where the matches are in the Markdown, ascending; −1 for one that is nowhere.
 */
export function partScores(
  parts: readonly MarkdownPart[],
  { terms: all, inTitle, weights }: MatchedPlaces,
  found: readonly number[],
): Float64Array {
  const terms = all.filter((_, match) => found[match]! >= 0)
  const offsets = found.filter(offset => offset >= 0)
  const own = new Float64Array(parts.length)
  /** For each part, the shares with which its terms count for the parts under it. */
  const passedOn: Map<number, number>[] = []
  let match = 0
  for (const [index, { start, end, under }] of parts.entries()) {
    while (match < offsets.length && offsets[match]! < start) match++
    const from = match
    while (match < offsets.length && offsets[match]! < end) match++
    const counts = new Map<number, number>()
    for (let at = from; at < match; at++) counts.set(terms[at]!, (counts.get(terms[at]!) ?? 0) + 1)
    const above = under === undefined ? undefined : passedOn[under]
    const norm = tuning.K1 * (1 - tuning.B + (tuning.B * (end - start)) / tuning.USUAL_UNITS)
    let score = nearness(terms, offsets, from, match, weights)
    for (const [term, count] of counts) score += (weights[term]! * count * (tuning.K1 + 1)) / (count + norm)
    const passed = new Map<number, number>()
    for (const [term, share] of above ?? []) {
      if (!counts.has(term)) score += weights[term]! * share
      passed.set(term, share * tuning.INHERITED_FURTHER)
    }
    for (const term of inTitle) if (!counts.has(term) && !above?.has(term)) score += weights[term]! * tuning.IN_TITLE
    for (const term of counts.keys()) passed.set(term, tuning.INHERITED)
    passedOn.push(passed)
    own[index] = score
  }
  return own.map((score, index) => {
    const before = beside(parts, own, index - 1)
    const after = beside(parts, own, index + 1)
    return score + tuning.NEIGHBOR * Math.max(before, after)
  })
}

/** The score of a neighbor. A heading is no neighbor, because its terms are passed on. */
function beside(parts: readonly MarkdownPart[], own: Float64Array, index: number): number {
  return parts[index] && parts[index].kind !== 'heading' ? own[index]! : 0
}

/** What terms that follow each other closely add to a score. In the order of the query they add twice as much. */
function nearness(
  terms: readonly number[],
  offsets: readonly number[],
  from: number,
  to: number,
  weights: readonly number[],
): number {
  const best = new Map<string, number>()
  for (let at = from + 1; at < to; at++) {
    const [first, second] = [terms[at - 1]!, terms[at]!]
    if (first === second || offsets[at]! - offsets[at - 1]! > tuning.NEAR_UNITS) continue
    const added = tuning.NEAR * Math.min(weights[first]!, weights[second]!) * (first < second ? 1 : 0.5)
    const pair = first < second ? `${first} ${second}` : `${second} ${first}`
    best.set(pair, Math.max(best.get(pair) ?? 0, added))
  }
  let sum = 0
  for (const added of best.values()) sum += added
  return sum
}
