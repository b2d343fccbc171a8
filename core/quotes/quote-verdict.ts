import type { TimeInput } from '../page.ts'

/** A quote that somebody says is on a page. */
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
  /** The instant of the version, or of the removal, that ended it, epoch ms. Undefined if the page still has them. */
  until?: number
}

/** A passage of a page. */
export interface QuotedPassage {
  /** The text of the passage, without Markdown marks: its first 10,000 UTF-16 units. */
  text: string
  /** Its range `[start, end)` in the Markdown of the page, UTF-16 units. It may begin or end inside of marks. */
  place: [start: number, end: number]
}

/** What is another one on the page than in a quote. `sign` is one such as `<`, `✓` or the minus of a number. */
export type QuoteContradiction = 'number' | 'unit' | 'name' | 'date' | 'negation' | 'sign'

/** A difference between a quote and the nearest passage. One of the two sides may be empty. */
export interface QuoteDifference {
  quote: string
  page: string
  /** What the page contradicts here. Undefined if only other words are used. */
  contradicts?: QuoteContradiction
}

/** What {@link Engine.verify} found out about a quote, as of one instant. */
export interface QuoteVerdict {
  verdict: QuoteVerdictName
  /** The URL of the page; of an alias that of its page. */
  url: string
  /** The instant of the answer, epoch ms. */
  instant: number
  /**
   * The version of the page by which the quote was judged: when its text was acquired, and when it was last seen up to the instant,
   * epoch ms. Undefined if there was no page at the instant.
   */
  version?: { acquiredAt: number; lastSeenAt: number }
  /** Where the page has the quote, or the passage that is nearest to it. Only if it is `verbatim`, `contradicted` or `reworded`. */
  passage?: QuotedPassage
  /** What is different in the passage, until the page's side has 10,000 UTF-16 units. Only if the quote is `contradicted` or `reworded`. */
  differences?: QuoteDifference[]
  /** When the page had the quote, verbatim: oldest first, with gaps between. Empty if it never had. */
  stood: QuoteInterval[]
  /**
   * Present if the call would read too much text for the whole history of the page: `stood` is then about the time from this instant on,
   * epoch ms.
   */
  readFrom?: number
}
