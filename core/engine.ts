import type { CaptureInput, Page, TimeInput } from './page.ts'

/** Which ranking answers: `realtime` is one BM25F pass, `pro` looks deeper. */
export type SearchMode = 'pro' | 'realtime'

/** Filters and limits of a search. Times are instants, or strings in the formats of spec 2.4 and 2.5. */
export interface SearchOptions {
  /** Default `pro`. */
  mode?: SearchMode
  /** A domain; its subdomains match too. */
  site?: string
  acquiredAfter?: TimeInput
  acquiredBefore?: TimeInput
  publishedAfter?: TimeInput
  publishedBefore?: TimeInput
  /** Answer as of this instant: captures acquired later are not candidates and count in no statistic. */
  queryTime?: TimeInput
  /** 1 to 1,000. Default 10. */
  maxResults?: number
  /** 180 to 10,000 code points, or 0 for no snippets. Default 600. */
  snippetMaxLength?: number
}

export interface Snippet {
  text: string
  /** UTF-16 ranges `[start, end)` of `text` that matched, ascending and apart. */
  highlights: [start: number, end: number][]
}

export interface SearchResult {
  url: string
  title: string
  score: number
  snippet: Snippet
  /** Epoch milliseconds, UTC. */
  publishedAt?: number
  /** Epoch milliseconds, UTC. */
  acquiredAt: number
}

/** What an answer was made from. Two equal receipts for one request mean two equal answers. */
export interface Receipt {
  /** The instant answered as of, epoch milliseconds. */
  instant: number
  captures: number
  segments: number
  profile: string
  analyzer: string
  /** Captures up to the instant whose `acquiredAt` was declared by the caller rather than stamped. */
  declared: number
  /** Captures purged from all of time. */
  purged: number
  /** Matches a published filter left out because they have no publish date; counting stops at 1,000. */
  undated: number
}

export interface SearchAnswer {
  query: string
  mode: SearchMode
  results: SearchResult[]
  /** Present when the request was not answered as a plain search: says what was done instead. */
  warning?: string
  /** Present when the query is a URL, normalised: its page was looked up instead of searched for. */
  queriedUrl?: string
  receipt: Receipt
}

export interface AddReport {
  added: number
  unchanged: number
  failed: { url: string; error: Error }[]
}

export interface EngineStats {
  captures: number
  urls: number
  segments: number
  terms: number
  /** Bytes on disk. */
  bytes: number
  /** Oldest and newest `acquiredAt`, epoch milliseconds. */
  oldest?: number
  newest?: number
}

/**
 * The engine as everything above it sees it. Transports and crawler depend on this interface alone, so that an
 * engine spread over machines can take its place.
 */
export interface Engine {
  /**
   * Adds captures. Resolves when they are durable and searchable; what it reported as added survives `kill -9`.
   * A capture that can't be taken is reported in `failed` and stops nothing else.
   *
   * @throws ASOF_STORE_WRITE - the batch could not be committed (a full disk, say); nothing of that batch was kept.
   * @throws ASOF_CLOSED
   */
  add(captures: Iterable<CaptureInput> | AsyncIterable<CaptureInput>): Promise<AddReport>
  /**
   * Returns the captures that match as of one instant, best first; ties by newer `acquiredAt`, then URL.
   *
   * @throws ASOF_INVALID_QUERY - empty, or over 2,048 characters.
   * @throws ASOF_INVALID_TIME - a time in no known format, or a `queryTime` in the future.
   * @throws ASOF_INVALID_OPTION - any other option out of range; `details.field` names it.
   */
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>
  /** Returns the page as it stood at `queryTime` (default now), or `undefined` when the index had none. */
  page(url: string, options?: { queryTime?: TimeInput }): Promise<Page | undefined>
  /**
   * Notes that a page was found unchanged now, as by a re-fetch answered 304: moves its `lastSeenAt`. Returns whether
   * the index has the page.
   */
  seen(url: string): Promise<boolean>
  /** Takes a page out of the index from now on; the past still knows it. Returns whether there was one. */
  remove(url: string): Promise<boolean>
  /** Takes a page out of all of time. Its content is deleted at once, its postings with the next merge. Returns the captures purged. */
  purge(url: string): Promise<number>
  stats(): Promise<EngineStats>
  /** Waits for the batch in hand and for a merge to reach a safe point, then releases the folder. Idempotent. */
  close(): Promise<void>
}
