import type { ContentExplanation } from './content/dropped-text.ts'
import type { OptionKinds } from './errors/options.ts'
import type { Breadcrumb } from './facts/breadcrumbs.ts'
import type { RobotsDirectives } from './facts/page-declarations.ts'
import type { Refresh } from './facts/page-refresh.ts'
import { withoutOpeningFence } from './markdown-source/opening-fence.ts'
import type { DatePrecision, DateSource, Fields, PageKind, PageLink, StructuredItem } from './page.ts'
import type { FieldRules } from './page-fields/field-rules.ts'

/** The dates of a page. A property is undefined if the page does not have it. */
export interface PageDates {
  /**
   * ISO 8601 with the day and offset of the page: `YYYY-MM-DDTHH:MM:SS[.sss][Z|±HH:MM]` or `YYYY-MM-DD`. For a page
   * that gives only a month or year, the first day of it; `publishedFrom.precision` is then `month` or `year`.
   */
  publishedAt?: string
  /** Where the publish date was found. Present if `publishedAt` is. */
  publishedFrom?: { source: DateSource; precision: DatePrecision }
  /** The declared time of the last change, in the format of `publishedAt`. */
  modifiedAt?: string
}

/** The content and metadata of a page. A property is undefined if the page does not have it. */
export interface ExtractedPage extends PageDates {
  title?: string
  author?: string
  description?: string
  /** The declared language, a BCP 47 tag such as `pt-BR`. */
  lang?: string
  /** The canonical URL that the head of the page declares: absolute, http(s), without fragment. It may be wrong. */
  canonicalUrl?: string
  /** The URL that browsers load in place of the page, and when (`<meta http-equiv=refresh>`). */
  refresh?: Refresh
  /** URLs of the page in other languages (`hreflang`): absolute, http(s), at most 100. */
  alternates?: string[]
  /** The name of the site, as the page declares it. */
  siteName?: string
  /** The declared image of the page: absolute URL, http(s). */
  image?: string
  /** The path to the page through its site, beginning at the home page. */
  breadcrumbs?: Breadcrumb[]
  /** True if the page declares that its text needs payment or a login, false if it declares that it needs none. */
  isPaywalled?: boolean
  /** What the page asks of search engines. */
  robots: RobotsDirectives
  /** The main content. Empty only if the page has no text at all. */
  markdown: string
  /**
   * Number of characters that could not be decoded, so that the text has U+FFFD in their place. Undefined if all characters could be
   * decoded, or if the body is a string or a document.
   */
  replacedCharacters?: number
  /** The links in page order, each URL once. At most 5,000. */
  links: PageLink[]
  /** Structured data, at most 50 items and 256 KiB of JSON. */
  data: StructuredItem[]
  /** The kind of the page. Undefined if there is no evidence. */
  kind?: PageKind
  /** How the content was chosen. Present for HTML if the option `explain` is set. */
  explanation?: ContentExplanation
  /** The values that the option `fields` asks for. Absent if the page has none of them, or is not HTML. */
  fields?: Fields
  /**
   * Warnings that parts of the page or document are not in its Markdown, or that its declared encoding was not used. Absent if there are
   * none.
   */
  warnings?: ExtractWarning[]
}

/** Says that a part of a document is missing from its Markdown, or that a declaration of it was not believed. */
export interface ExtractWarning {
  /**
   * - `pages-without-text`: pages of a PDF that have no text, such as scanned ones
   * - `pages-unread`: pages of a PDF or chapters of an EPUB that are damaged or encrypted
   * - `parts-unread`: charts, embedded objects, embedded documents of another format, fields of a form beyond 1,000 on a page, formulas in
   *   a sheet without a stored value, or formulas that a page has only as drawings
   * - `cut`: the document exceeds a limit, so its end is missing
   * - `charset`: the bytes contradict the declared encoding, so another one was used
   */
  code: 'pages-without-text' | 'pages-unread' | 'parts-unread' | 'cut' | 'charset'
  /** What is missing, with its number; or the two encodings. */
  message: string
}

/** Returns a page that has only Markdown. */
export function pageOf(markdown: string): ExtractedPage {
  return { robots: { noindex: false, nofollow: false }, markdown: withoutOpeningFence(markdown), links: [], data: [] }
}

/** Returns a warning that parts of a page or document are not read. Returns an empty list if `count` is 0. */
export function unreadParts(count: number, what: string): ExtractWarning[] {
  return count === 0 ? [] : [{ code: 'parts-unread', message: `not read: ${count} ${what}${count === 1 ? '' : 's'}` }]
}

/** Adds warnings to a page, if there are any. */
export function withWarnings(page: ExtractedPage, warnings: readonly ExtractWarning[]): ExtractedPage {
  return warnings.length === 0 ? page : { ...page, warnings: [...(page.warnings ?? []), ...warnings] }
}

/** What is known of a page before it is read, and what to read. */
export interface ExtractOptions {
  /** Absolute URL of the page, the base of its relative links. */
  url: string
  /** `Content-Type` of the HTTP response. Default: sniffed from the body. */
  contentType?: string
  /**
   * The latest instant at which the page can have been acquired, epoch milliseconds. Publish dates more than a day later are ignored;
   * within a day, the date may already have begun in another time zone. Default: no limit.
   */
  latestAt?: number
  /** The fields to read from an HTML page. Default: none. */
  fields?: FieldRules
  /** True to explain which rules dropped how many words of an HTML page. Default: false. */
  explain?: boolean
}

export const extractOptionKinds: OptionKinds<ExtractOptions> = {
  url: 'string',
  contentType: 'string',
  latestAt: 'number',
  fields: 'object',
  explain: 'boolean',
}
