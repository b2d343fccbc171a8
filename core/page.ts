/** An instant given by a caller: a `Date`, epoch milliseconds, or a string in the formats of spec 2.4 (timestamp or date). */
export type TimeInput = Date | number | string

/** Where a page's publish date was found. `header` is a publish header of a feed or mail archive, never `Last-Modified`. */
/** Their places in these lists are stored: what is new goes to the end. */
export const dateSources = [
  'json-ld',
  'meta',
  'microdata',
  'url',
  'time-element',
  'text',
  'feed',
  'header',
  'declared',
] as const
export const datePrecisions = ['second', 'minute', 'day', 'month', 'year'] as const

export type DateSource = (typeof dateSources)[number]
export type DatePrecision = (typeof datePrecisions)[number]

/** What kind of page this is, as far as its structured data, its declarations or its form say. */
export const pageKinds = ['article', 'product', 'forum', 'docs', 'listing', 'other'] as const
export type PageKind = (typeof pageKinds)[number]

/** One schema.org-like item found on a page (JSON-LD, microdata, OpenGraph), as plain JSON in the form of JSON-LD. */
export type StructuredItem = Record<string, unknown>

/** A link of a page: absolute, without fragment. */
export interface PageLink {
  url: string
  text: string
  /** True when the link carries `rel=nofollow`, `ugc` or `sponsored`. */
  nofollow: boolean
}

/**
 * One version of a page as handed to `engine.add`. Exactly one of `html`, `markdown` and `text` carries the body;
 * bytes are decoded by BOM, `contentType` and `<meta charset>`, in that order.
 */
export interface CaptureInput {
  url: string
  html?: string | Uint8Array
  markdown?: string | Uint8Array
  text?: string | Uint8Array
  title?: string
  author?: string
  description?: string
  publishedAt?: TimeInput
  /** When this content was seen. Default: the moment the batch commits. Given: declared history, never in the future. */
  acquiredAt?: TimeInput
  /** The HTTP `Content-Type` the bytes came with. */
  contentType?: string
  /** BCP 47 language tag. */
  lang?: string
  /** Provenance of `publishedAt`; default `declared`, to the precision of the value. */
  publishedFrom?: { source: DateSource; precision: DatePrecision }
  /** What the site calls itself, such as `og:site_name`. */
  siteName?: string
  data?: StructuredItem[]
  /** Default: what the page itself says, if it is HTML, else what `data` says. */
  kind?: PageKind
  /** Other URLs that lead to this page (redirects, non-canonical spellings): `engine.page` finds it by them too. */
  aliases?: string[]
}

/** A page as it was at an instant. Instants are epoch milliseconds, UTC. */
export interface Page {
  url: string
  title: string
  author?: string
  description?: string
  publishedAt?: number
  publishedFrom?: { source: DateSource; precision: DatePrecision }
  /** When the text was acquired. */
  acquiredAt: number
  /**
   * When the metadata (everything but URL, title and text) were first seen as they are here. Absent when that was with the
   * text, at `acquiredAt`.
   */
  revisedAt?: number
  lastSeenAt: number
  /**
   * When this version stopped being current: another text or other metadata were acquired, or the page was removed.
   * Undefined while it is current. The only field that describes what came after the instant asked for; present only when
   * the option `supersededAt` of `engine.page` asks for it.
   */
  supersededAt?: number
  lang?: string
  siteName?: string
  data?: StructuredItem[]
  /** Absent when nothing tells. */
  kind?: PageKind
  markdown: string
}
