import type { DatePrecision, DateSource, PageKind, PageLink, StructuredItem } from '../page.ts'
import type { Breadcrumb } from './facts/breadcrumbs.ts'
import type { RobotsDirectives } from './facts/page-declarations.ts'
import { withoutOpeningFence } from './markdown-source/opening-fence.ts'

/** The content and metadata of a page. A field is absent if the page does not have it. */
export interface ExtractedPage {
  title?: string
  author?: string
  description?: string
  /**
   * ISO 8601 with the day and offset as in the page: `YYYY-MM-DDTHH:MM:SS[.sss][Z|±HH:MM]` or `YYYY-MM-DD`. If the page gives only a month
   * or year, it is the first day, and `publishedFrom.precision` is `month` or `year`.
   */
  publishedAt?: string
  /** Where the date was found. Present exactly when `publishedAt` is present. */
  publishedFrom?: { source: DateSource; precision: DatePrecision }
  /** The time of the last change that the page declares, in the format of `publishedAt`. It is never used as `publishedAt`. */
  modifiedAt?: string
  /** The declared language, a BCP 47 tag in its usual case. */
  lang?: string
  /** The canonical URL that the page declares: absolute, http(s), without fragment. */
  canonicalUrl?: string
  /** URLs of the page in other languages (`hreflang`): absolute, http(s), at most 100. */
  alternates?: string[]
  siteName?: string
  /** URL of the image that the page declares for itself: absolute, http(s). */
  image?: string
  /** The path to the page through its site, home first. */
  breadcrumbs?: Breadcrumb[]
  /** True if the page declares that readers must pay or sign in for its text, false if it declares that they need not. */
  isPaywalled?: boolean
  robots: RobotsDirectives
  /** The main content. Empty only if the page has no text at all. */
  markdown: string
  /** The links in page order, each URL once, at most 5,000. */
  links: PageLink[]
  /** Structured data, at most 50 items and 256 KiB of JSON. */
  data: StructuredItem[]
  /** Absent if the page gives no evidence of its kind. */
  kind?: PageKind
}

/** Returns a page that has only Markdown. */
export function pageOf(markdown: string): ExtractedPage {
  return { robots: { noindex: false, nofollow: false }, markdown: withoutOpeningFence(markdown), links: [], data: [] }
}

export interface ExtractOptions {
  /** Absolute URL of the page, the base of its relative links. */
  url: string
  /** `Content-Type` of the HTTP response. Default: sniffed from the body. */
  contentType?: string
  /**
   * Epoch milliseconds. Publish dates after the next day are ignored; the next day may already be the current one in another time zone.
   * Default: no limit.
   */
  latestAt?: number
}
