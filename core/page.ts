import type { DatePrecision, DateSource, Fields, PageKind, StructuredItem } from '@asof/extract/page'

/**
 * An instant: a `Date`, epoch milliseconds, or a string. A string is a date (`2025-03-01`, the start of that day), a timestamp of ISO
 * 8601 (`2025-03-01T14:30:00.250+02:00`; UTC unless it has an offset), or Unix time of 9 to 14 digits: up to 11 are seconds, more are
 * milliseconds. A `queryTime`, or the bound of a filter by time, may also be a delta back from now (`30min`, `2h`, `7d`, `2w`, `1mo`, `1y`).
 * A filter counts it back from `queryTime`, if the search has one, and accepts weeks only with the option `weeksInFilters`.
 */
export type TimeInput = Date | number | string

/**
 * One version of a page for `engine.add`. Exactly one of `html`, `markdown` and `text` has the body. The encoding of
 * bytes is that of the BOM, `contentType` or `<meta charset>`, in this order.
 */
export interface CaptureInput {
  /** Absolute URL of the page. */
  url: string
  /** Give exactly one of `html`, `markdown` and `text`. Title, author and other metadata are extracted from HTML if they are not given. */
  html?: string | Uint8Array
  /**
   * Markdown, or MDX if `contentType` is `text/mdx`. Front matter (YAML, TOML, JSON, pandoc) provides the fields that the capture
   * does not have.
   */
  markdown?: string | Uint8Array
  /** Plain text. */
  text?: string | Uint8Array
  title?: string
  author?: string
  description?: string
  /** When the page was published. A date later than `acquiredAt` is left out, with a warning. */
  publishedAt?: TimeInput
  /** When this content was acquired. Default: the instant of the commit. Must not be in the future. */
  acquiredAt?: TimeInput
  /** The HTTP `Content-Type` of the bytes. */
  contentType?: string
  /** BCP 47 language tag. */
  lang?: string
  /** Where `publishedAt` was found. Default: `declared`, with the precision of the value. */
  publishedFrom?: { source: DateSource; precision: DatePrecision }
  /** The name of the site, such as that in `og:site_name`. */
  siteName?: string
  /** Structured data (schema.org) in JSON-LD form, at most 256 KiB. Default: that of the HTML. */
  data?: StructuredItem[]
  /** Default: derived from the page if it is HTML, otherwise from `data`. */
  kind?: PageKind
  /**
   * Says that this observation is content. May be absent, see {@link Observation}. Both values mean the same: the engine finds out itself
   * whether new content is a capture or a revision.
   */
  observed?: 'capture' | 'revision'
  /**
   * Values by which searches can filter, by name. A string is a keyword, a `Date` is an instant, and `{ $text: '…' }` is a text, which
   * searches find by its words. A field may have several values. All values of a field in the index must have the same type, even in
   * superseded captures. At most 64 fields with 256 values each. Keywords have at most 256 characters; names at most 64 (letters,
   * digits, `_`, `-`, `.`).
   */
  fields?: Fields
  /** Other URLs that lead to this page (redirects, other spellings). `engine.page` also finds the page by them. */
  aliases?: string[]
}

/**
 * One version of a document without an address on the web, such as a record of a database, for `engine.add`. Its page
 * has the URL `documentUrl(id)`, such as `doc:p1`. All other calls identify the page by this URL.
 */
export interface DocumentInput extends Omit<CaptureInput, 'url'> {
  /** Any string except ''. */
  id: string
  /** A document has an `id` in place of a URL. */
  url?: undefined
}

/** Declares for `engine.add` that a page was gone at an instant. */
export interface RemovalInput {
  /** Says that this observation is a removal. May be absent, because `removedAt` says it too. */
  observed?: 'removal'
  /** The URL of the page itself. Aliases are not followed. */
  url: string
  /** Must not be in the future. */
  removedAt: TimeInput
}

/** Declares for `engine.add` that a page was found unchanged at an instant. */
export interface SightingInput {
  /** Says that this observation is a sighting. May be absent, because `seenAt` says it too. */
  observed?: 'sighting'
  /** The URL of the page itself. Aliases are not followed. */
  url: string
  /** Must not be in the future. */
  seenAt: TimeInput
  /**
   * The `acquiredAt` of the earlier capture that is unchanged. Default: it is unknown, as after a 304. This matters
   * only if other content is declared later for an instant in between.
   */
  unchangedSince?: TimeInput
  /** Other URLs that led to the page, see `CaptureInput.aliases`. */
  aliases?: string[]
}

/** Declares for `engine.add` that other URLs led to a page at an instant. */
export interface AliasInput {
  /** Says that this observation declares aliases. May be absent, because `aliasedAt` says it too. */
  observed?: 'alias'
  url: string
  /** Must not be in the future. */
  aliasedAt: TimeInput
  /** Other URLs that led to the page, see `CaptureInput.aliases`. */
  aliases: string[]
}

/** What was found at a URL at one instant: content, no change, removal, or aliases. */
export type ObservationInput = CaptureInput | RemovalInput | SightingInput | AliasInput

/**
 * An exported observation. `observed` says what it is; in an observation that is added it may be absent, because the other fields say
 * it too. `kind` is another matter: the kind of a page.
 */
export type Observation =
  | (CaptureInput & { observed: 'capture' | 'revision' })
  | (RemovalInput & { observed: 'removal' })
  | (SightingInput & { observed: 'sighting' })
  | (AliasInput & { observed: 'alias' })

/** A page as it was at an instant. Instants are epoch milliseconds, UTC. */
export interface Page {
  url: string
  title: string
  author?: string
  description?: string
  /** Epoch ms. Undefined if the page has no publish date. */
  publishedAt?: number
  /** Where the publish date was found, and how exactly it is known. */
  publishedFrom?: { source: DateSource; precision: DatePrecision }
  /** When the text was acquired. */
  acquiredAt: number
  /**
   * When these metadata (everything but URL, title and text) were first seen. Undefined if they were seen together with
   * the text, at `acquiredAt`.
   */
  revisedAt?: number
  /** When the page was last seen, up to the requested instant. */
  lastSeenAt: number
  /**
   * When new text, new metadata or a removal superseded this version. Undefined while it is current. Returned only with
   * the option `supersededAt` of `engine.page`, because unlike all else it depends on what happened after the requested
   * instant.
   */
  supersededAt?: number
  /** BCP 47 language tag. */
  lang?: string
  siteName?: string
  /** Structured data in JSON-LD form. Undefined if the page has none. */
  data?: StructuredItem[]
  /** Undefined if the kind is unknown. */
  kind?: PageKind
  /** Undefined if the page has none. */
  fields?: Fields
  /** The content. Cut to the option `markdownMaxLength` of `engine.page`. */
  markdown: string
}
