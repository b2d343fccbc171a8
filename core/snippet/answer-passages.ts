import { clip } from '@asof/extract/characters'
import { plainText } from '../text/markdown/plain-text.ts'
import { queryTerms } from '../text/terms/query-terms.ts'
import { TermScanner } from '../text/terms/term-scanner.ts'
import { type PagePassage, pagePassages, paragraphParts } from './page-passages.ts'

/** Limits on the text that is read and returned, in UTF-16 units. */
const limits = {
  /** Number of units that are read from the start of a page. */
  pageUnits: 256 * 1024,
  /** Maximum number of passages in an answer. */
  passages: 40,
  /** Maximum length of an answer. */
  answerUnits: 8_000,
  /** Maximum length of the beginning of a page that is returned if no passage matches. */
  openingUnits: 1_000,
} as const

/**
 * Parameters of BM25 for passages. B is smaller than for pages: the lengths of passages differ less, and a short
 * passage is often the answer.
 */
const K1 = 1.2
const B = 0.5
/**
 * Factors for the weight of a term that is only in a heading above a passage. The first is for the nearest heading. Each further heading above
 * multiplies it by the second.
 */
const INHERITED = 0.7
const INHERITED_FURTHER = 0.5
/** Minimum score of a shown passage, as a share of the best score. */
const WORTH_SHOWING = 0.5

/**
 * Returns the passages of a page that answer an instruction, verbatim and in the order of the page. Each passage comes
 * with the heading, table head or introducing line above it. Only the first 262,144 UTF-16 units of the page are read.
 * Words that only give an order ("list", "extract the") are ignored. If no words are left, or the page contains none of
 * them, the result is the beginning of the page, up to 1,000 UTF-16 units.
 *
 * @returns at most 8,000 UTF-16 units, always the same for the same input; '' if the page has no text.
 */
export function answerPassages(markdown: string, instruction: string): string {
  const page = markdown.slice(0, limits.pageUnits)
  const passages = split(page, pagePassages(page))
  const scores = scorePassages(page, passages, instructionTerms(instruction))
  const chosen = choose(passages, scores)
  return render(page, passages, chosen.length > 0 ? chosen : opening(passages))
}

/**
 * Splits long paragraphs and items into parts. A passage that was under such a paragraph is then under its last part.
 */
function split(page: string, whole: readonly PagePassage[]): PagePassage[] {
  const out: PagePassage[] = []
  /** For each passage, the index that its last part has after the split. */
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

/** Scores each passage by the terms in it and, with less weight, by the terms in the passages above it. */
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
  /** For each passage, the weights with which its terms count for the passages under it. */
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

/**
 * Returns the indexes of the best passages, ascending. A heading with passages under it is left out, because it is
 * shown with any of them.
 */
function choose(passages: readonly PagePassage[], scores: Float64Array): number[] {
  const above = new Set(passages.map(({ under }) => under))
  const shown = [...passages.keys()].filter(
    at => scores[at]! > 0 && !(passages[at]!.kind === 'heading' && above.has(at)),
  )
  shown.sort((a, b) => scores[b]! - scores[a]! || a - b)
  const least = scores[shown[0] ?? 0]! * WORTH_SHOWING
  const chosen: number[] = []
  let units = 0
  for (const at of shown) {
    if (chosen.length === limits.passages || scores[at]! < least) break
    const { start, end } = passages[at]!
    if (chosen.length > 0 && units + end - start > limits.answerUnits) continue
    units += end - start
    chosen.push(at)
  }
  return chosen.sort((a, b) => a - b)
}

/** Returns the indexes of the passages at the beginning of a page. */
function opening(passages: readonly PagePassage[]): number[] {
  const chosen: number[] = []
  for (const [at, { end }] of passages.entries()) {
    if (at > 0 && end - passages[0]!.start > limits.openingUnits) break
    chosen.push(at)
  }
  return chosen
}

/** Writes the chosen passages, each after the passages above it up to the nearest heading. Writes no passage twice. */
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
      // Passages that follow each other on the page keep the separator of the page. Otherwise rows and items begin on a
      // new line, and other passages after a blank line.
      if (before === at - 1) text += page.slice(next.end, start)
      else text += (kind === 'row' || kind === 'item') && next.kind === kind ? '\n' : '\n\n'
    }
    text += page.slice(start, end)
    before = at
  }
  return clip(text.trim(), limits.answerUnits)
}

/** Words of an instruction that are ignored: they say what to do or refer to the page, but name no topic. */
const commandWords = new Set(
  `extract list find give get show tell return fetch name identify describe explain summarize summarise summary outline
  provide write answer output format quote locate look search report please
  page pages article document text content website site webpage passage passages section information info detail details
  according mentioned following using based markdown json bullet bullets points sentence sentences word words brief briefly
  exact exactly only every everything anything full complete entire main`.match(/[a-z]+/g),
)

/**
 * Maximum number of terms of an instruction. It bounds the time, and no meaningful instruction of 2,000 characters has
 * more.
 */
const MAX_TERMS = 64

/**
 * Returns the distinct terms of an instruction as they are indexed, without {@link commandWords} and function words.
 */
function instructionTerms(instruction: string): string[] {
  const terms = queryTerms(instruction)
  const about = terms.filter(({ word, functionWord }) => !functionWord && !commandWords.has(word))
  return [...new Set(about.map(({ term }) => term))].slice(0, MAX_TERMS)
}
