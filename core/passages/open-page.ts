import { ownCapture } from '../history/current-capture.ts'
import type { PlacedResult } from '../search/results.ts'
import type { MatchedPlaces } from '../snippet/matched-places.ts'
import { decodeMarkdown } from '../store/records/documents.ts'
import { readPageText, readRest, readRevision } from '../store/records/stored-page.ts'
import type { PiecedText } from '../store/records/text-edits.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { findPlaces } from './find-places.ts'
import { type MarkdownPart, pageParts } from './page-parts.ts'
import { partScores, tuning } from './part-scores.ts'

/** Length of the text around a match that decides how well a page could answer, before the page is read; UTF-16 units. */
const NEAR_UNITS = 600
/** Share of the score of the first part of a page without a match that the next part has, and so on. */
const FURTHER = 0.5

/** What the best part of a page scores, relative to the weights of its terms: terms that occur several times, or side by side, add to them. */
const LIKELY = 1.3

/** A page with its parts. */
export interface OpenedPage {
  markdown: string
  parts: readonly MarkdownPart[]
  scores: ArrayLike<number>
  /** The indexes of the parts that can be passages, the best first. */
  ranked: number[]
}

/**
 * Reads a page as of the instant of a snapshot, and scores its parts.
 *
 * @param limits - `whole` is the maximum length of a code block or a table that is kept whole, and `paragraph` that of a part of a paragraph; UTF-16 units.
 * @param placesIn - finds places in the text other than those of the result.
 * @returns undefined if the page was purged after the search.
 */
export function openPage(
  { url, title, captureId, places: own }: PlacedResult,
  snapshot: Snapshot,
  limits: { whole: number; paragraph: number },
  placesIn?: (text: string, title: string) => MatchedPlaces,
): OpenedPage | undefined {
  const { store } = snapshot
  const current = ownCapture(url, snapshot)
  if (current?.captureId !== captureId) return undefined
  const pieces = readPageText(store, captureId)
  // A revision has a form of its own if markup or white space differ.
  const form = current.revision && readRevision(store, current.revision.id).form
  const markdown = form?.markdown ?? decodeMarkdown(pieces, readRest(store, captureId))
  const parts = pageParts(markdown, limits.whole, limits.paragraph)
  const text = wholeText(pieces)
  const places = placesIn?.(text, title) ?? own
  const scores =
    places.starts.length === 0
      ? openingScores(parts, places)
      : partScores(parts, places, findPlaces(text, markdown, places.starts))
  const above = new Set(parts.map(({ under }) => under))
  const ranked = [...parts.keys()].filter(
    index => scores[index]! > 0 && !(parts[index]!.kind === 'heading' && above.has(index)),
  )
  ranked.sort((a, b) => scores[b]! - scores[a]! || a - b)
  return { markdown, parts, scores, ranked }
}

function wholeText(pieces: PiecedText): string {
  let text = ''
  for (let index = 0; index < pieces.count; index++) text += pieces.piece(index)
  return text
}

/** Scores the first parts of a page that has the words of the query in its title or its fields only, or that matches without words. */
function openingScores(parts: readonly MarkdownPart[], places: MatchedPlaces): ArrayLike<number> {
  let score = openingScore(places)
  return parts.map(({ kind }) => {
    if (kind === 'heading') return 0
    score *= FURTHER
    return score / FURTHER
  })
}

/** Returns the score of the first part of a page without a match in its text: that of the terms in the title, or 1 if it has none either. */
function openingScore({ inTitle, weights }: MatchedPlaces): number {
  return inTitle.reduce((sum, term) => sum + weights[term]!, 0) * tuning.IN_TITLE || 1
}

/** Returns what the best part of a page scores at most, approximately, without reading the page. */
export function likelyScore(places: MatchedPlaces): number {
  const { starts, terms, weights } = places
  if (starts.length === 0) return openingScore(places)
  const counts = new Map<number, number>()
  let sum = 0
  let best = 0
  let first = 0
  for (const [last, term] of terms.entries()) {
    const count = counts.get(term) ?? 0
    counts.set(term, count + 1)
    if (count === 0) sum += weights[term]!
    for (; starts[last]! - starts[first]! > NEAR_UNITS; first++) {
      const left = counts.get(terms[first]!)! - 1
      counts.set(terms[first]!, left)
      if (left === 0) sum -= weights[terms[first]!]!
    }
    best = Math.max(best, sum)
  }
  return best * LIKELY
}
