import type { Receipt, ResultPassage, SearchMode, SearchOptions, SearchWarning } from '../search/search-answer.ts'

/** Filters and limits of {@link Engine.passages}. The filters, the mode and the times are those of a search. */
export interface PassagesOptions
  extends Pick<
    SearchOptions,
    | 'mode'
    | 'site'
    | 'sites'
    | 'excludeSites'
    | 'filter'
    | 'acquiredAfter'
    | 'acquiredBefore'
    | 'publishedAfter'
    | 'publishedBefore'
    | 'weeksInFilters'
    | 'queryTime'
    | 'language'
    | 'weights'
    | 'strict'
    | 'models'
  > {
  /** Maximum number of UTF-16 units of all passages together, 180 to 50,000. Default 50,000. */
  maxChars?: number
  /**
   * Maximum number of tokens of all passages together, 50 to 50,000, by an estimate that fits all tokenizers: see
   * {@link PassagesAnswer.tokens}. Default: 2,000, or no maximum if `maxChars` is given.
   */
  maxTokens?: number
  /** Maximum number of passages of one page, 1 to 100. Default: no maximum. */
  maxPerPage?: number
}

/** A part of a page that answers the query, as of the instant of the answer. */
export interface Passage extends ResultPassage {
  url: string
  /** The title of the page. */
  title: string
  /** When the text was acquired: epoch milliseconds, UTC. */
  acquiredAt: number
  /** The publish date of the page at the instant of the answer: epoch milliseconds, UTC. */
  publishedAt?: number
}

/** The answer of {@link Engine.passages}. */
export interface PassagesAnswer {
  /** The query; of a query that was given as a tree, its text. */
  query: string
  mode: SearchMode
  /** The passages: the page with the best passage first, and the passages of a page in the order of the page. */
  passages: Passage[]
  /** Number of UTF-16 units of the texts of all passages. */
  chars: number
  /**
   * Estimated number of tokens of the texts of all passages. For prose, code and addresses it is at least 95 % of the count of a tokenizer
   * such as `cl100k_base` or `o200k_base`, and mostly more than the count.
   */
  tokens: number
  /** The texts of `warnings`, joined with `; `. Undefined if there is nothing to report. */
  warning?: string
  /** How the search for pages differed from the request. Undefined if there is nothing to report. */
  warnings?: SearchWarning[]
  /** The state of the index that the answer was made from. */
  receipt: Receipt
}
