import type { TimeInput } from '../page.ts'

/** Maximum length of a quote, UTF-16 units. */
export const LONGEST_QUOTE = 2_000
/** Maximum number of parts of a quote between ellipses. Each of them is searched for. */
export const MAX_QUOTE_PARTS = 20

/** A quote, and the page that is said to have it. */
export interface QuoteToVerify {
  /** The page, or an alias of it. */
  url: string
  /**
   * At most 2,000 UTF-16 units, with at least one word. An ellipsis (`…`, `...`, `[…]`) stands for words that were left out;
   * at most 20 parts may be between ellipses.
   */
  quote: string
  /** The instant of the answer, as in a search. Nothing that was acquired later has any effect. Default now. */
  queryTime?: TimeInput
}

/**
 * - `verbatim`: the page has the words, numbers and signs of the quote, in this order.
 * - `contradicted`: the page has a passage that matches the quote, but says another number, unit, name, date or sign, or denies it.
 * - `reworded`: the page has a passage with most of the words.
 * - `gone`: the page has no such passage, or there is no page any more.
 * - `unknown_page`: the index never had the page.
 */
export type QuoteVerdictName = 'verbatim' | 'contradicted' | 'reworded' | 'gone' | 'unknown_page'

/** Time in which a page had the words of a quote. */
export interface QuoteInterval {
  /** The instant of the first version with them, epoch ms. */
  from: number
  /** The instant of the next version without them, or of the removal of the page, epoch ms. Undefined if the page still has them. */
  until?: number
}

/** A passage of a page. */
export interface QuotedPassage {
  /** The text of the passage, without Markdown marks: its first 10,000 UTF-16 units. */
  text: string
  /** The range `[start, end)` of the passage in the Markdown of the page, UTF-16 units. It may begin or end inside marks. */
  place: [start: number, end: number]
}

/** The kind of a difference by which a page contradicts a quote. A `sign` is `<`, `✓` or the minus of a number, for example. */
export type QuoteContradiction = 'number' | 'unit' | 'name' | 'date' | 'negation' | 'sign'

/** A difference between a quote and the nearest passage. One of the two sides may be empty. */
export interface QuoteDifference {
  quote: string
  page: string
  /** The kind of the contradiction. Undefined if the page only uses other words here, without contradicting the quote. */
  contradicts?: QuoteContradiction
}

/** The result of {@link Engine.verify} for one quote, as of one instant. */
export interface QuoteVerdict {
  verdict: QuoteVerdictName
  /** The URL of the page, also if the quote was given with an alias of the page. */
  url: string
  /** The instant of the answer, epoch ms. */
  instant: number
  /**
   * The version of the page by which the quote was judged: when its text was acquired, and when it was last seen up to the instant,
   * epoch ms. Undefined if there was no page at the instant.
   */
  version?: { acquiredAt: number; lastSeenAt: number }
  /** The passage that has the quote or is nearest to it. Undefined unless the verdict is `verbatim`, `contradicted` or `reworded`. */
  passage?: QuotedPassage
  /**
   * The differences between the quote and the passage, until the page's side has 10,000 UTF-16 units. Undefined unless the verdict is
   * `contradicted` or `reworded`.
   */
  differences?: QuoteDifference[]
  /** The times in which the page had the quote verbatim, oldest first, with gaps between them. Empty if the page never had the quote. */
  stood: QuoteInterval[]
  /**
   * The instant from which `stood` is complete, epoch ms. Present only if the whole history of the page is too much text for one call.
   */
  readFrom?: number
}
