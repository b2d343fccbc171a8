import type { TimeInput } from '../page.ts'

/**
 * The parts of a page that {@link PageVersion.changed} can name. `text` is the plain text. `markup` means that only
 * links, emphasis or white space changed in title and text.
 */
export type PagePart =
  | 'title'
  | 'text'
  | 'markup'
  | 'publishedAt'
  | 'author'
  | 'description'
  | 'lang'
  | 'siteName'
  | 'kind'
  | 'data'
  | 'fields'

/** One version of a URL, from `at` to `supersededAt`: a page, or its absence. Instants are epoch milliseconds. */
export interface PageVersion {
  /**
   * `capture`: new text. `revision`: the same text with other metadata, markup or white space. `removal`: the page left the index.
   */
  kind: 'capture' | 'revision' | 'removal'
  /** When the version began. `page` returns the version as of this instant and later, up to `supersededAt`. */
  at: number
  /** When the page was last seen unchanged. For a removal, the same as `at`. */
  lastSeenAt: number
  /** When the next version began. Undefined for the last version. */
  supersededAt?: number
  /** The title of the page. For a removal, the title that the page had before. */
  title: string
  /** Undefined for a removal, and if the page has no publish date. */
  publishedAt?: number
  /**
   * The parts that differ from the version before. After a removal, from the last version before the removal. Empty for
   * the first version and for removals.
   */
  changed: PagePart[]
}

/** Filters and limits of {@link Engine.history}. */
export interface HistoryOptions {
  /** Only versions that began up to this instant are listed. Default now. */
  queryTime?: TimeInput
  /** The `next` of the previous slice. Default: the first slice. */
  cursor?: string
  /** Maximum number of versions in a slice, 1 to 1,000. Default 100. */
  maxResults?: number
}

/** One slice of the versions of one URL. */
export interface HistorySlice {
  /** The URL under which the page is stored: the requested one, or the page that it is an alias of. */
  url: string
  /** The versions, oldest first. Empty if the index has no version of the URL. */
  versions: PageVersion[]
  /** The cursor for the next slice. Undefined after the last one. */
  next?: string
}

/** When each version of one URL began. */
export interface Timeline {
  /** The URL under which the page is stored: the requested one, or the page that it is an alias of. */
  url: string
  /** The versions, oldest first. */
  versions: Pick<PageVersion, 'kind' | 'at'>[]
}

/** Options of {@link Engine.page}. */
export interface PageOptions {
  /** Default now. */
  queryTime?: TimeInput
  /** True to return `supersededAt`, the instant at which the version stopped being current. Default false. */
  supersededAt?: boolean
  /**
   * Maximum length of `markdown`, UTF-16 units. A caller that needs only the beginning should set this, because the
   * rest of a large page is then not decompressed. Default: no maximum.
   */
  markdownMaxLength?: number
}
