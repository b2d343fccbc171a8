import type { DatePrecision, DateSource, PageKind, PageLink, StructuredItem } from '../page.ts'

/** What extraction finds in the bytes of one page. A field that the page doesn't have is absent. */
export interface ExtractedPage {
  title?: string
  author?: string
  description?: string
  /**
   * ISO 8601 with the calendar day and offset as the page wrote them: `YYYY-MM-DDTHH:MM:SS[.sss][Z|±HH:MM]`, or
   * `YYYY-MM-DD`. A date known to the month or year alone stands at its first day; `publishedFrom.precision` says so.
   */
  publishedAt?: string
  /** Present exactly when `publishedAt` is. */
  publishedFrom?: { source: DateSource; precision: DatePrecision }
  /** BCP 47 language tag as declared, in its usual case. */
  lang?: string
  /** Absolute http(s) URL that the page names as its own address; no fragment. */
  canonicalUrl?: string
  siteName?: string
  robots: { noindex: boolean; nofollow: boolean }
  /** The main content; empty only when the page shows no text at all. */
  markdown: string
  /** At most 5,000, in page order, each URL once. */
  links: PageLink[]
  /** At most 50 items and 256 KiB of JSON. */
  data: StructuredItem[]
  /** Absent when nothing tells. */
  kind?: PageKind
}

export interface ExtractOptions {
  /** The page's own address: the base of its relative links. */
  url: string
  /** The HTTP `Content-Type` the bytes came with; sniffed when absent. */
  contentType?: string
  /** Epoch milliseconds. A publish date on a later day is refused; the next day passes, for time zones. Default: no bound. */
  latestAt?: number
}
