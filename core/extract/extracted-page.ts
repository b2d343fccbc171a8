import type { DatePrecision, DateSource, PageKind, PageLink, StructuredItem } from '../page.ts'
import type { Breadcrumb } from './facts/breadcrumbs.ts'
import type { RobotsDirectives } from './facts/page-declarations.ts'

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
  /** When the page says it was last changed, in the form of `publishedAt`, which it never stands in for. */
  modifiedAt?: string
  /** BCP 47 language tag as declared, in its usual case. */
  lang?: string
  /** Absolute http(s) URL that the page names as its own address; no fragment. */
  canonicalUrl?: string
  /** The same page in other languages (`hreflang`): absolute http(s) URLs, at most 100; absent when it names none. */
  alternates?: string[]
  siteName?: string
  /** The picture that the page names to stand for it: an absolute http(s) URL. */
  image?: string
  /** The way to the page through its site, home first; absent when the page shows none. */
  breadcrumbs?: Breadcrumb[]
  /** Whether the page says that its text must be paid or signed in for; absent when it doesn't say. */
  isPaywalled?: boolean
  robots: RobotsDirectives
  /** The main content; empty only when the page shows no text at all. */
  markdown: string
  /** At most 5,000, in page order, each URL once. */
  links: PageLink[]
  /** At most 50 items and 256 KiB of JSON. */
  data: StructuredItem[]
  /** Absent when nothing tells. */
  kind?: PageKind
}

/** A page that has markdown and nothing else. */
export function pageOf(markdown: string): ExtractedPage {
  return { robots: { noindex: false, nofollow: false }, markdown, links: [], data: [] }
}

export interface ExtractOptions {
  /** The page's own address: the base of its relative links. */
  url: string
  /** The HTTP `Content-Type` the bytes came with; sniffed when absent. */
  contentType?: string
  /** Epoch milliseconds. A publish date on a later day is refused; the next day passes, for time zones. Default: no bound. */
  latestAt?: number
}
