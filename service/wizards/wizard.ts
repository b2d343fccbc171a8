import type { Page, StructuredItem } from '@asof/core'

/** A capture for wizards: metadata and structured data. Instants are epoch ms. */
export type WizardCapture = Readonly<
  Pick<Page, 'url' | 'title' | 'acquiredAt' | 'revisedAt' | 'publishedAt' | 'siteName'> & {
    data: readonly StructuredItem[]
  }
>

/** Returns when the data of a capture were acquired. If only data changed, that is later than the text. */
export function dataAcquiredAt({ acquiredAt, revisedAt = acquiredAt }: WizardCapture): number {
  return revisedAt
}

/** A search for wizards. All captures are as of the instant of the search. */
export interface WizardQuestion {
  /** The query as the caller wrote it. */
  query: string
  /** The terms of the query as they are indexed: folded, stemmed if English, without function words. */
  terms: readonly string[]
  /** The captures of the best results, best first, at most 10. */
  captures: readonly WizardCapture[]
  /**
   * Returns the capture of a URL; undefined if the index has none. Also undefined if the request has filters, because
   * only a search can check them.
   */
  capture(url: string): Promise<WizardCapture | undefined>
  /**
   * Searches for other words, because pages may write a thing in another form than the query. Returns at most 10
   * captures, best first. Returns none if the request has filters.
   *
   * @param mode - `webql` for words in the full query language. Default `realtime`.
   */
  search(words: string, mode?: 'realtime' | 'webql'): Promise<readonly WizardCapture[]>
  /** Aborts at the time limit of the wizard. Later answers are dropped. */
  signal: AbortSignal
}

/** One item for the response. The response takes `url` and `acquired_at` from `capture`. */
export interface WizardAnswer {
  /** A capture of the question, or one that its `capture` or `search` returned. */
  capture: WizardCapture
  /** JSON with names in snake_case, at most 16 KiB. The service adds `wizard`, `url` and `acquired_at`. */
  fields: Readonly<Record<string, unknown>>
}

/**
 * Answers one kind of question from the structured data of pages. It must answer only if the query asks for such items;
 * it is not enough that a page has them.
 */
export interface Wizard {
  /** The value of `wizard` in the items of the response. */
  readonly name: string
  /**
   * Returns items, best first. Only the first 10 are used. If a wizard throws or exceeds its time limit, the response
   * lacks its items.
   */
  answer(question: WizardQuestion): readonly WizardAnswer[] | Promise<readonly WizardAnswer[]>
}
