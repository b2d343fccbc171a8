import { lowerBound } from '../bytes/binary-search.ts'
import { MAX_QUOTE_PARTS } from '../quotes/quote-verdict.ts'
import { widen } from '../snippet/excerpt.ts'
import type { OpenedPage } from './open-page.ts'
import { Repetitions } from './repetitions.ts'
import { estimateTokens } from './token-estimate.ts'

/** Limits of an answer. */
export interface Budget {
  maxChars: number
  maxTokens: number
  maxPerPage: number
  /** Maximum length of a passage, UTF-16 units. */
  maxLength: number
}

/** A page that passages may be taken from. */
export interface PassageSource {
  /** Factor of the scores of its passages: how well the page as a whole answers. */
  factor: number
  /** What its best part scores at most, approximately. */
  likely: number
  /** Reads the page. Returns undefined if it was purged. */
  open: () => OpenedPage | undefined
}

/** A passage that was chosen: a range of the Markdown of a page. */
export interface ChosenPassage {
  start: number
  end: number
  /** The first of its parts. */
  part: number
  score: number
  tokens: number
}

/** The passages of one page. */
export interface ChosenPage {
  /** Index of the page among the sources. */
  source: number
  page: OpenedPage
  passages: ChosenPassage[]
}

/** Number of UTF-16 units: if this much of a page was chosen, the scores of its other passages are halved. */
const HALF_UNITS = 4_000
/** Number of candidates in a row that do not fit, after which the answer is complete. */
const MAX_MISSES = 20
/**
 * Number of candidates, and of comparisons of two parts, after which an answer is complete. Only pages that were made for it reach them: each
 * part of them repeats an earlier one, so that the budget is never used up.
 */
const MAX_CANDIDATES = 50_000
const MAX_COMPARED = 2_000_000
/** Number of UTF-16 units of the pages that were read, after which no other page is read: some ten thousand paragraphs take a few tenths of a second. */
const MAX_READ_UNITS = 16_000_000
/** Maximum number of ellipses in a passage. In a quote they separate parts. */
const MAX_ELLIPSES = MAX_QUOTE_PARTS - 1
const ELLIPSIS = /…|\.{3,}/g
const WORD = /[\p{L}\p{N}]/u
/** Tokens of the white space between two joined parts. */
const GAP_TOKENS = 1

/**
 * Chooses passages of several pages, the best first, until the budget is used up. Pages are read only when their passages may be the next.
 *
 * @param sources - the best page first.
 * @returns the pages in the order of their best passages, and the passages of each in the order of the page.
 */
export function fillBudget(sources: readonly PassageSource[], budget: Budget): ChosenPage[] {
  const unopened = [...sources.keys()].sort((a, b) => worthOf(sources[b]!) - worthOf(sources[a]!) || a - b)
  const opened: PageInUse[] = []
  const used: PageInUse[] = []
  const repetitions = new Repetitions()
  let { maxChars: chars, maxTokens: tokens } = budget
  let misses = 0
  let candidates = 0
  let units = 0
  const isWorkLeft = () => candidates < MAX_CANDIDATES && repetitions.compared < MAX_COMPARED
  while (isWorkLeft() && misses < MAX_MISSES && chars > 0 && tokens > 0) {
    const best = bestOf(opened)
    const nearest = units < MAX_READ_UNITS ? sources[unopened[0] ?? -1] : undefined
    if (nearest && (!best || worthOf(nearest) > best.value)) {
      const page = nearest.open()
      units += page?.markdown.length ?? 0
      if (page) opened.push(new PageInUse(unopened[0]!, nearest.factor, page, budget.maxLength))
      unopened.shift()
      continue
    }
    if (!best) break
    candidates++
    const part = best.take()
    const grown = best.with(part)
    const isFitting =
      grown &&
      grown.passages.length <= budget.maxPerPage &&
      grown.chars - best.chars <= chars &&
      grown.tokens - best.tokens <= tokens
    if (!isFitting || repetitions.repeats(best.textOf(part))) {
      misses++
      continue
    }
    misses = 0
    chars -= grown.chars - best.chars
    tokens -= grown.tokens - best.tokens
    if (best.passages.length === 0) used.push(best)
    best.choose(part, grown)
  }
  if (used.length === 0) return cutToFit(opened, budget)
  return used.map(({ source, page, passages }) => ({ source, page, passages }))
}

/** Returns ascending numbers with one more. */
function withNumber(numbers: readonly number[], added: number): number[] {
  return numbers.toSpliced(lowerBound(numbers, numbers.length, added), 0, added)
}

function worthOf({ likely, factor }: PassageSource): number {
  return likely * factor
}

function bestOf(opened: readonly PageInUse[]): PageInUse | undefined {
  let best: PageInUse | undefined
  for (const page of opened) if (page.value > 0 && (!best || page.value > best.value)) best = page
  return best
}

/** Returns the beginning of the best part, cut between sentences or words, for a budget that no part fits into. */
function cutToFit(opened: readonly PageInUse[], { maxChars, maxTokens, maxLength }: Budget): ChosenPage[] {
  const [best] = opened
    .filter(({ page }) => page.ranked.length > 0)
    .sort((a, b) => b.scoreOf(b.page.ranked[0]!) - a.scoreOf(a.page.ranked[0]!))
  if (!best) return []
  const { page, source } = best
  const part = page.ranked[0]!
  const { start, end } = page.parts[part]!
  let most = Math.min(maxChars, maxLength)
  let range = { start, end }
  let tokens = 0
  do {
    range = widen(page.markdown, { start, end: start }, most, { start, end })
    tokens = estimateTokens(page.markdown.slice(range.start, range.end))
    most = Math.floor(most * 0.8)
  } while (most > 0 && tokens > maxTokens)
  if (range.end <= range.start) return []
  return [{ source, page, passages: [{ ...range, part, score: best.scoreOf(part), tokens }] }]
}

/** What decides whether a part fits, and whether `verify` judges it as a quote. */
interface PartSize {
  tokens: number
  ellipses: number
  hasWords: boolean
}

/** The chosen passages of a page, and their size. */
interface Chosen {
  passages: ChosenPassage[]
  chars: number
  tokens: number
}

/** A page whose parts are candidates. */
class PageInUse implements Chosen {
  readonly source: number
  readonly page: OpenedPage
  passages: ChosenPassage[] = []
  chars = 0
  tokens = 0
  /** The score of the next part, lowered by how much of the page was chosen; see {@link HALF_UNITS}. 0 if no part is left. */
  value = 0
  readonly #factor: number
  readonly #maxLength: number
  /** The chosen parts, ascending. */
  #chosen: number[] = []
  /** Index of the next part in `page.ranked`. */
  #next = 0
  readonly #sizes = new Map<number, PartSize>()

  constructor(source: number, factor: number, page: OpenedPage, maxLength: number) {
    this.source = source
    this.page = page
    this.#factor = factor
    this.#maxLength = maxLength
    this.#evaluate()
  }

  /** Returns the next part, which is then no candidate any more. */
  take(): number {
    const part = this.page.ranked[this.#next++]!
    this.#evaluate()
    return part
  }

  scoreOf(part: number): number {
    return this.#factor * this.page.scores[part]!
  }

  textOf(part: number): string {
    const { start, end } = this.page.parts[part]!
    return this.page.markdown.slice(start, end)
  }

  /** Returns what is chosen if a part is chosen too. Parts that follow each other are joined. Undefined if the part cannot be a passage. */
  with(added: number): Chosen | undefined {
    const chosen = withNumber(this.#chosen, added)
    // The part changes no passage before the one that it may join, and none from the next one on that begins with the same part as before.
    const kept = Math.max(
      0,
      this.passages.findLastIndex(({ part }) => part < added),
    )
    const passages = this.passages.slice(0, kept)
    let next = kept
    let ellipses = 0
    let before = Number.NaN
    const first = Math.min(added, this.passages[kept]?.part ?? added)
    for (let at = lowerBound(chosen, chosen.length, first); at < chosen.length; at++) {
      const part = chosen[at]!
      const { start, end } = this.page.parts[part]!
      const size = this.#sizeOf(part)
      const score = this.scoreOf(part)
      const last = passages.at(-1)
      ellipses += size.ellipses
      while (next < this.passages.length && this.passages[next]!.part < part) next++
      if (last && before === part - 1 && end - last.start <= this.#maxLength && ellipses <= MAX_ELLIPSES) {
        last.end = end
        last.score = Math.max(last.score, score)
        last.tokens += GAP_TOKENS + size.tokens
      } else {
        if (part > added && this.passages[next]?.part === part) {
          passages.push(...this.passages.slice(next))
          break
        }
        ellipses = size.ellipses
        if (end - start > this.#maxLength || ellipses > MAX_ELLIPSES || !size.hasWords) return undefined
        passages.push({ start, end, part, score, tokens: size.tokens })
      }
      before = part
    }
    let chars = 0
    let tokens = 0
    for (const { start, end, tokens: own } of passages) {
      chars += end - start
      tokens += own
    }
    return { passages, chars, tokens }
  }

  choose(part: number, { passages, chars, tokens }: Chosen): void {
    this.#chosen = withNumber(this.#chosen, part)
    this.passages = passages
    this.chars = chars
    this.tokens = tokens
    this.#evaluate()
  }

  #evaluate(): void {
    const next = this.page.ranked[this.#next]
    this.value = next === undefined ? 0 : (this.scoreOf(next) * HALF_UNITS) / (HALF_UNITS + this.chars)
  }

  #sizeOf(part: number): PartSize {
    let size = this.#sizes.get(part)
    if (!size) {
      const text = this.textOf(part)
      size = { tokens: estimateTokens(text), ellipses: text.match(ELLIPSIS)?.length ?? 0, hasWords: WORD.test(text) }
      this.#sizes.set(part, size)
    }
    return size
  }
}
