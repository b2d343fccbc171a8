import { plainText } from '../text/markdown/plain-text.ts'
import { TermScanner } from '../text/terms/term-scanner.ts'
import { instructionTerms } from './instruction-terms.ts'
import { type PagePassage, pagePassages, paragraphParts } from './page-passages.ts'

/** What passages are chosen by; lengths in UTF-16 units. */
const limits = {
  /** What is beyond is not read. */
  pageUnits: 256 * 1024,
  passages: 40,
  answerUnits: 8_000,
  openingUnits: 1_000,
} as const

/** As in BM25; passages differ less in length than pages do, and a short one is often the answer. */
const K1 = 1.2
const B = 0.5
/** Share of its weight that a term has for what stands under the heading that holds it, and again for each level up. */
const INHERITED = 0.7
const INHERITED_FURTHER = 0.5
/** A passage worth less than this share of the best one is no answer. */
const WORTH_SHOWING = 0.5

/**
 * Returns the passages of a page that answer an instruction, verbatim and in the order of the page, each below the
 * heading, table head or introducing line that it stands under; at most 8,000 characters of the page's first 262,144.
 * Words that only give an order ("list", "extract the") are not looked for. Where nothing is left to look for, or the
 * page has none of it, that is the beginning of the page: up to 1,000 characters.
 *
 * @returns '' when the page has no text. Never more than 8,000 UTF-16 units; the same for the same input.
 */
export function answerPassages(markdown: string, instruction: string): string {
  const page = markdown.slice(0, limits.pageUnits)
  const passages = split(page, pagePassages(page))
  const scores = scorePassages(page, passages, instructionTerms(instruction))
  const chosen = choose(passages, scores)
  return render(page, passages, chosen.length > 0 ? chosen : opening(passages))
}

/** Takes long paragraphs apart; what stood under a paragraph stands under its last part. */
function split(page: string, whole: readonly PagePassage[]): PagePassage[] {
  const out: PagePassage[] = []
  const moved: number[] = []
  for (const passage of whole) {
    const under = passage.under === undefined ? {} : { under: moved[passage.under]! }
    const parts =
      passage.kind === 'paragraph' || passage.kind === 'item'
        ? paragraphParts(page, passage.start, passage.end)
        : [{ start: passage.start, end: passage.end }]
    for (const part of parts) out.push({ ...passage, ...part, ...under })
    moved.push(out.length - 1)
  }
  return out
}

/** Scores each passage by the terms in it and, for less, in what it stands under. */
function scorePassages(page: string, passages: readonly PagePassage[], terms: readonly string[]): Float64Array {
  const scores = new Float64Array(passages.length)
  if (terms.length === 0 || passages.length === 0) return scores
  const scanner = new TermScanner(terms)
  const counts: Map<number, number>[] = []
  const lengths: number[] = []
  const holding = new Float64Array(terms.length)
  let total = 0
  for (const { start, end } of passages) {
    const text = plainText(page.slice(start, end))
    const count = new Map<number, number>()
    for (const { term } of scanner.scan(text)) count.set(term, (count.get(term) ?? 0) + 1)
    for (const term of count.keys()) holding[term]! += 1
    counts.push(count)
    lengths.push(text.length)
    total += text.length
  }
  const average = Math.max(total / passages.length, 1)
  const weights = holding.map(held => Math.log(1 + (passages.length - held + 0.5) / (held + 0.5)))
  /** What each term is worth to whatever stands under a passage. */
  const inherited: Map<number, number>[] = []
  for (const [at, passage] of passages.entries()) {
    const own = counts[at]!
    const above = passage.under === undefined ? undefined : inherited[passage.under]
    const norm = K1 * (1 - B + (B * lengths[at]!) / average)
    let score = 0
    for (const [term, count] of own) score += (weights[term]! * count * (K1 + 1)) / (count + norm)
    const below = new Map<number, number>()
    for (const [term, worth] of above ?? []) {
      if (!own.has(term)) score += weights[term]! * worth
      below.set(term, worth * INHERITED_FURTHER)
    }
    for (const term of own.keys()) below.set(term, INHERITED)
    inherited.push(below)
    scores[at] = score
  }
  return scores
}

/** Indices of the best passages, ascending. A heading speaks for what stands under it, not for itself. */
function choose(passages: readonly PagePassage[], scores: Float64Array): number[] {
  const above = new Set(passages.map(({ under }) => under))
  const candidates = [...passages.keys()].filter(
    at => scores[at]! > 0 && !(passages[at]!.kind === 'heading' && above.has(at)),
  )
  candidates.sort((a, b) => scores[b]! - scores[a]! || a - b)
  const least = scores[candidates[0] ?? 0]! * WORTH_SHOWING
  const chosen: number[] = []
  let units = 0
  for (const at of candidates) {
    if (chosen.length === limits.passages || scores[at]! < least) break
    const { start, end } = passages[at]!
    if (chosen.length > 0 && units + end - start > limits.answerUnits) continue
    units += end - start
    chosen.push(at)
  }
  return chosen.sort((a, b) => a - b)
}

/** Indices of the passages that a page begins with. */
function opening(passages: readonly PagePassage[]): number[] {
  const chosen: number[] = []
  for (const [at, { end }] of passages.entries()) {
    if (at > 0 && end - passages[0]!.start > limits.openingUnits) break
    chosen.push(at)
  }
  return chosen
}

/** Puts passages below what they stand under, up to the nearest heading, everything once. */
function render(page: string, passages: readonly PagePassage[], chosen: readonly number[]): string {
  const shown = new Set<number>()
  for (const at of chosen) {
    shown.add(at)
    for (let up = at; passages[up]!.kind !== 'heading'; ) {
      const under = passages[up]!.under
      if (under === undefined || shown.has(under)) break
      shown.add(under)
      up = under
    }
  }
  let text = ''
  let before: number | undefined
  for (const at of [...shown].sort((a, b) => a - b)) {
    const { start, end, kind } = passages[at]!
    if (before !== undefined) {
      const next = passages[before]!
      // Neighbours stand apart as they do on the page, rows and items of one list on lines of their own.
      if (before === at - 1) text += page.slice(next.end, start)
      else text += (kind === 'row' || kind === 'item') && next.kind === kind ? '\n' : '\n\n'
    }
    text += page.slice(start, end)
    before = at
  }
  return cut(text.trim(), limits.answerUnits)
}

/** The first `limit` UTF-16 units, one less where that would halve a character. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  return text.slice(0, text.charCodeAt(limit) >> 10 === 0x37 ? limit - 1 : limit)
}
