import type { Page, StructuredItem } from '@asof/core'

/** A capture as wizards see it: the page's metadata and structured data. Instants are epoch milliseconds, UTC. */
export type WizardCapture = Readonly<
  Pick<Page, 'url' | 'title' | 'acquiredAt' | 'revisedAt' | 'publishedAt' | 'siteName'> & {
    data: readonly StructuredItem[]
  }
>

/** Returns when the data of a capture were acquired. That is later than its text if only the data changed. */
export function dataAcquiredAt({ acquiredAt, revisedAt = acquiredAt }: WizardCapture): number {
  return revisedAt
}

/** A search as wizards see it. All captures are as of the instant of the search. */
export interface WizardQuestion {
  /** The query as the caller wrote it. */
  query: string
  /** The terms of the query as they are in the index: folded, English ones stemmed, without function words. */
  terms: readonly string[]
  /** The captures of the best results, best first; at most 10. */
  captures: readonly WizardCapture[]
  /**
   * Returns the capture of a URL, or `undefined` if the index has none. Also `undefined` if the request has filters, because
   * only a search can tell whether a page passes them.
   */
  capture(url: string): Promise<WizardCapture | undefined>
  /**
   * Searches for other words than the query's, because pages may write a thing in another form than the query. Returns at
   * most 10 captures, best first, and [] if the request has filters.
   *
   * @param mode - `webql` parses the words in the full query language. Default `realtime`.
   */
  search(words: string, mode?: 'realtime' | 'webql'): Promise<readonly WizardCapture[]>
  /** Aborts when the time limit of the wizard is exceeded. Later answers are dropped. */
  signal: AbortSignal
}

/** One item of an answer. In the response, its `url` and `acquired_at` are those of `capture`. */
export interface WizardAnswer {
  /** A capture of the question, or one that its `capture` or `search` returned. */
  capture: WizardCapture
  /** JSON with names in snake_case, at most 16 KiB. The service sets `wizard`, `url` and `acquired_at`. */
  fields: Readonly<Record<string, unknown>>
}

/**
 * Answers one kind of question from the structured data of pages. It returns items, best first, or none. It must only answer
 * if the query asks for such items; that a page has the data is not enough.
 */
export interface Wizard {
  /** The value of `wizard` in its items. */
  readonly name: string
  /** Only the first 10 items are used. A wizard that throws or exceeds its time limit is left out of the response. */
  answer(question: WizardQuestion): readonly WizardAnswer[] | Promise<readonly WizardAnswer[]>
}
