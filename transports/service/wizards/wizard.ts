import type { Page, StructuredItem } from '@asof/core'

/** A capture as a wizard sees it: what the page declares about itself. Instants are epoch milliseconds, UTC. */
export type WizardCapture = Readonly<
  Pick<Page, 'url' | 'title' | 'acquiredAt' | 'revisedAt' | 'publishedAt' | 'siteName'> & {
    data: readonly StructuredItem[]
  }
>

/** When the data of a capture were acquired: later than its text where the data alone have changed. */
export function dataAcquiredAt({ acquiredAt, revisedAt = acquiredAt }: WizardCapture): number {
  return revisedAt
}

/** What a wizard is asked. Everything in it is as of the request's cut. */
export interface WizardQuestion {
  /** As the caller wrote it. */
  query: string
  /** The words that the query is about, as the index knows them: folded, English ones stemmed, function words left out. */
  terms: readonly string[]
  /** The captures of the best results, best first; at most 10. */
  captures: readonly WizardCapture[]
  /**
   * Looks up one more capture by its URL. `undefined` when the index has none as of the cut, or when the request has
   * filters that a page must have been searched with to pass.
   */
  capture(url: string): Promise<WizardCapture | undefined>
  /**
   * Searches for other words than those of the query, for captures that it names in a form that no page writes. At most
   * 10 captures as of the cut, best first; [] when the request has filters that its own search alone may pass.
   *
   * @param mode - `webql` reads the words in the full query language. Default `realtime`.
   */
  search(words: string, mode?: 'realtime' | 'webql'): Promise<readonly WizardCapture[]>
  /** Aborts when the time is over: what is answered later is dropped. */
  signal: AbortSignal
}

/** One item of an answer. The response names its source: `url` and `acquired_at` are those of `capture`. */
export interface WizardAnswer {
  /** One of those that the question came with, or that its `capture` returned. */
  capture: WizardCapture
  /** JSON, snake_case. `wizard`, `url` and `acquired_at` are not the wizard's to set. At most 16 KiB. */
  fields: Readonly<Record<string, unknown>>
}

/**
 * Answers some kind of question from the structured data of pages. A wizard matches by giving items, best first, and
 * says nothing by giving none: data alone is no reason to answer, the query must have asked for it.
 */
export interface Wizard {
  /** The `wizard` of its items. */
  readonly name: string
  /** At most 10 items are kept. A wizard that throws, or takes over a second, is left out of the answer. */
  answer(question: WizardQuestion): readonly WizardAnswer[] | Promise<readonly WizardAnswer[]>
}
