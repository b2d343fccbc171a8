import type { AddReport } from './add-report.ts'
import type { FieldFilter } from './fields/field-filter.ts'
import type { Fields, ObservationInput, Page, TimeInput } from './page.ts'

/**
 * The mode of a search: `realtime` ranks by one BM25F pass; `pro` re-ranks the best hits of that pass by more signals;
 * `webql` reads the query in the full query language, and ranks like `realtime`.
 */
export type SearchMode = 'pro' | 'realtime' | 'webql'

/**
 * Filters and limits of a search. A time is an instant, or a string in a format of sections 2.4 and 2.5 of the service
 * contract. An empty time or `site` means "not given", as `undefined` does everywhere.
 */
export interface SearchOptions {
  /** Default `pro`. */
  mode?: SearchMode
  /** A domain; its subdomains match too. */
  site?: string
  /** Conditions on the fields of pages, as they were valid at the instant of the answer. */
  filter?: FieldFilter
  acquiredAfter?: TimeInput
  acquiredBefore?: TimeInput
  publishedAfter?: TimeInput
  publishedBefore?: TimeInput
  /**
   * True if `acquiredAfter` to `publishedBefore`, and the ranges of a `webql` query, accept the unit `w` (weeks), as
   * `queryTime` always does. Default false.
   */
  weeksInFilters?: boolean
  /**
   * Answer as of this instant: captures acquired later are neither found nor counted in any statistic. An instant up to
   * 60 s ahead of the engine's clock means now; the receipt contains the instant used.
   */
  queryTime?: TimeInput
  /** 1 to 1,000. Default 10. */
  maxResults?: number
  /**
   * The language of the query's words, as a BCP 47 tag. Words are found in all their forms in this language. Default: the
   * language is detected from the words, among the languages of the pages as of the instant.
   */
  language?: string
  /** 180 to 10,000 UTF-16 units, or 0 for no snippets. Default 600. */
  snippetMaxLength?: number
  /**
   * True if the query may be sent to the models that the engine was opened with. If false, the search is answered as if the
   * engine had no models. Default true.
   */
  models?: boolean
  /** True if the answer is to contain timings and the parts of its scores. Default false. */
  explain?: boolean
}

export interface Snippet {
  text: string
  /** The parts of `text` that match, as UTF-16 ranges `[start, end)`, ascending and not touching. */
  highlights: [start: number, end: number][]
}

export interface SearchResult {
  url: string
  title: string
  score: number
  snippet: Snippet
  /** The publish date that was valid at the instant of the answer: epoch milliseconds, UTC. */
  publishedAt?: number
  /** When the text was acquired: epoch milliseconds, UTC. */
  acquiredAt: number
  /** The fields that were valid at the instant of the answer. Absent if the page has none. */
  fields?: Fields
  /**
   * The page's language, ISO 639-1, detected from its script, its declarations and its words. Present only in answers to
   * searches with a `language`, and only if it could be detected.
   */
  language?: string
}

/** The state of the index that an answer was made from. Equal receipts for the same request mean equal answers. */
export interface Receipt {
  /** The instant as of which the answer was made, epoch milliseconds. */
  instant: number
  /** Number of captures acquired up to the instant, superseded ones included, purged and expired ones excluded. */
  captures: number
  /** Number of segments that contain a capture acquired up to the instant. */
  segments: number
  /** The name of the ranking profile. */
  profile: string
  /** The identity of the text rules that made the terms of the index and of the query. */
  analyzer: string
  /**
   * Number of captures up to the instant whose `acquiredAt` the caller declared (the engine stamped the others), plus the
   * number of declared changes of searchable metadata (date, author, kind, language, description), plus the number of declared
   * removals that ended a page.
   */
  declared: number
  /** Number of captures purged from all of time. */
  purged: number
  /** Number of captures that retention deleted. */
  dropped: number
  /**
   * Present if retention has deleted captures: the latest instant at which one of them was superseded, epoch milliseconds.
   * As of this instant and later, no result is missing. Answers as of earlier instants lack the deleted captures.
   */
  retainedSince?: number
  /** Number of matches that a published filter excluded because they have no publish date; counted up to 1,000. */
  undated: number
  /** Present if vectors took part in the ranking. */
  vectors?: VectorReceipt
  /** The name of the model that ordered the first results, if one did. */
  reranker?: string
}

/** The part that an embeddings model had in an answer. */
export interface VectorReceipt {
  /** See `Embedder.model`. */
  model: string
  /** Number of its vectors that {@link Engine.embed} wrote after their capture. Each may change answers as of the past. */
  late: number
  /** The first 64 bits of the SHA-256 of the query's vector, in hex. A model may return different vectors for the same query. */
  query: string
}

export interface SearchAnswer {
  query: string
  /** The mode of the request. The receipt names the ranking profile. */
  mode: SearchMode
  results: SearchResult[]
  /**
   * Present if the request was not answered as a plain search: what was done instead, or that the index holds no page as of
   * the instant. Several warnings are joined with `; `.
   */
  warning?: string
  /** The normalized URL, if the query is a URL: its page was looked up instead of searched for. */
  queriedUrl?: string
  receipt: Receipt
  /** Present if the option `explain` was true. */
  explain?: Explanation
}

/** The timings of an answer and the parts of its scores. */
export interface Explanation {
  timings: AnswerTimings
  /** For each result, in order, what each term and each signal adds to its score. Empty if a page was looked up by its URL. */
  scores: ScorePart[][]
  /**
   * The language that the query was analyzed in, ISO 639-1: the option `language`, or the language detected. Undefined if
   * no rules of one language were used, which includes English, and in mode `webql`.
   */
  language?: string
}

/** Milliseconds that each step of an answer took on its thread, without the time in the queue. */
export interface AnswerTimings {
  /** Checking the request, and parsing and analyzing the query. */
  parse: number
  /**
   * Computing the document frequency of each term as of the instant. If the query was searched for again in another form,
   * such as with corrected spelling, this includes the searches before the last one.
   */
  statistics: number
  /** Finding and re-ranking the best captures. */
  topK: number
  /** Reading the results and making their snippets. */
  snippets: number
  /** The sum. */
  total: number
}

/** What one term of the query, or one signal of `pro`, adds to the score of one result. */
export type ScorePart = TermPart | SignalPart

/**
 * What one term of the query adds to the score of one result. In mode `webql`, a `prefix*` and a `fuzzy~` count as one
 * occurrence in a page of average length, whichever of the matching words the page contains.
 */
export interface TermPart {
  /**
   * The term as indexed: case-folded, and stemmed if it is English. A quoted phrase whose words were searched for like
   * other words appears in quotation marks and counts like a word that occurs once in a page of average length.
   */
  term: string
  /** Inverse document frequency as of the instant, times the number of occurrences in the query. */
  weight: number
  /** Number of occurrences in the page; an occurrence in the title counts three times. */
  frequency: number
  /** Number of words of the page; words of the title count three times. */
  length: number
  /** The parts of a result add up to its score exactly. */
  score: number
}

/** What one signal of `pro` adds to the score of one result. */
export interface SignalPart {
  /** Its name in the ranking profile. */
  signal: string
  /** Score per unit of `value`. It depends on the other candidates, so the scores of two queries are not comparable. */
  weight: number
  value: number
  /** The parts of a result add up to its score exactly. */
  score: number
}

/** A completion of the beginning of a query. */
export interface Suggestion {
  kind: 'title' | 'site'
  /** The title of a page, or the host of a site. */
  text: string
  /** The URL of the page, for a title. */
  url?: string
}

export interface EngineStats {
  /** Number of captures, superseded ones included, purged and expired ones excluded. */
  captures: number
  /** Number of URLs with at least one observation. */
  urls: number
  segments: number
  /**
   * Number of entries in the dictionaries on disk: a term that several segments contain counts once for each, and the terms of
   * captures that were replaced, purged or expired count until a merge drops them. It measures size, not vocabulary.
   */
  terms: number
  /** Bytes on disk. */
  bytes: number
  /** Number of segment merges under way: 0 or 1. */
  merges: number
  /** Number of captures with a vector of the embeddings model, if the engine was opened with one. */
  vectors?: number
  /** Oldest and newest `acquiredAt`, epoch milliseconds. Undefined if the index is empty. */
  oldest?: number
  newest?: number
}

export interface EmbedOptions {
  /** Called with the totals so far. */
  onProgress?: (report: EmbedReport) => void
  /** Stops after the current captures. */
  signal?: AbortSignal
}

/** The result of {@link Engine.embed}. */
export interface EmbedReport {
  /** Number of captures checked. */
  captures: number
  /** Number of captures that got a vector. */
  embedded: number
}

export interface BackupOptions {
  /**
   * Writes other files into the new folder, before the state of the index to copy is fixed. Must not use the name `index`.
   */
  beside?: (folder: string) => Promise<void>
  /** Called with the number of bytes copied so far. */
  onProgress?: (copiedBytes: number) => void
  /** Stops the backup and deletes the unfinished folder. */
  signal?: AbortSignal
}

/** The result of {@link Engine.backup}. */
export interface BackupReport {
  /** Epoch milliseconds. As of this and every earlier instant, the backup answers as the index did. */
  instant: number
  captures: number
  urls: number
  /** Number of bytes copied. */
  bytes: number
}

/** Options of {@link Engine.export}. */
export interface ExportOptions {
  /** `next` of the previous part. Default: the first part. */
  after?: string
  /** Observations in a part, 1 to 1,000. Parts with large pages are shorter. Default 100. */
  maxResults?: number
}

/** One part of the observations of all pages, see {@link Engine.export}. */
export interface ExportPart {
  /** Each with its instant, in the form that {@link Engine.add} accepts. */
  observations: ObservationInput[]
  /** The cursor of the next part; undefined after the last one. */
  next?: string
}

/**
 * The parts of a page that {@link PageVersion.changed} names. `text` is the page's plain text; `markup` stands for links,
 * emphasis and white space where title and text are the same.
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

/** One version of a URL: the page as it was from `at` to `supersededAt`, or its absence. Instants are epoch milliseconds. */
export interface PageVersion {
  /**
   * `capture`: another text than before. `revision`: the same text, other metadata, markup or white space. `removal`: the
   * page left the index.
   */
  kind: 'capture' | 'revision' | 'removal'
  /** When the version began. `page` as of this instant and later, up to `supersededAt`, returns it. */
  at: number
  /** When the page was last seen unchanged; `at` for a removal. */
  lastSeenAt: number
  /** When the next version began. Undefined for the last version. */
  supersededAt?: number
  /** For a removal: the title that the page had. */
  title: string
  /** Undefined if the page has no publish date, and for a removal. */
  publishedAt?: number
  /**
   * What differs from the version before; after a removal, from the last version before the page was removed. Empty for
   * the first version and for a removal.
   */
  changed: PagePart[]
}

/** Filters and limits of {@link Engine.history}. */
export interface HistoryOptions {
  /** List only the versions that had begun by this instant. Default now. */
  queryTime?: TimeInput
  /** `next` of the previous part. Default: the first part. */
  after?: string
  /** Versions in a part, 1 to 1,000. Default 100. */
  maxResults?: number
}

/** One part of the versions of one URL. */
export interface HistoryPart {
  /** The URL under which the page is stored: the target if the requested URL is an alias. */
  url: string
  /** Oldest first; empty if the index has none. */
  versions: PageVersion[]
  /** The cursor of the next part; undefined after the last one. */
  next?: string
}

/** Options of {@link Engine.remove}. */
export interface RemoveOptions {
  /** The instant of the removal. Must not be in the future. Default: the engine stamps it. */
  at?: TimeInput
}

/** When each version of one URL began. */
export interface Timeline {
  /** See {@link HistoryPart.url}. */
  url: string
  /** Oldest first. */
  versions: Pick<PageVersion, 'kind' | 'at'>[]
}

/** Options of {@link Engine.page}. */
export interface PageOptions {
  /** Default now. */
  queryTime?: TimeInput
  /** True if the page is to have the field `supersededAt`, the instant at which it stopped being current. Default false. */
  supersededAt?: boolean
  /**
   * Maximum number of UTF-16 units of `markdown`, from 0. The rest of a large page is not decompressed, so a caller that needs
   * only the beginning should say so. Default: the whole page.
   */
  markdownMaxLength?: number
}

/**
 * The interface of the engine. Transports and crawler depend on nothing else, so that another implementation, such as one
 * spread over several machines, can take the place of the local engine. `asof/testing` exports tests that every
 * implementation must pass.
 */
export interface Engine {
  /**
   * Adds captures, and declares removals, sightings and aliases of the past. Resolves when they are durable and searchable:
   * captures reported as added survive `kill -9`. An invalid observation, such as one with an unknown field, is reported in
   * `failed`; the others are added.
   *
   * The order of observations makes no difference, with one exception: of two observations of one URL and one millisecond
   * only the later to arrive is kept. The other one counts nowhere.
   *
   * @throws ASOF_INVALID_CAPTURE - `observations` is not iterable; put a single capture into a list.
   * @throws ASOF_STORE_WRITE - a commit failed, such as on a full disk; nothing of it was kept.
   * @throws ASOF_CLOSED
   */
  add(observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>): Promise<AddReport>
  /**
   * Returns the captures that match as of one instant, best first; equal scores by newer `acquiredAt`, then by URL.
   *
   * @throws ASOF_INVALID_QUERY - the query is empty, or has over 2,048 characters, or is a syntax error in mode `webql`;
   *   then `details.position` is the UTF-16 offset of the error.
   * @throws ASOF_INVALID_TIME - a time is in no known format, or `queryTime` is more than 60 s in the future.
   * @throws ASOF_INVALID_OPTION - an option is unknown (`details.nearest` is the option probably meant), has the wrong type
   *   (`null` included) or is out of range; `details.field` names it.
   * @throws ASOF_SEARCH_FAILED - the search ended the threads that ran it, for example by running out of memory.
   * @throws ASOF_SEARCH_TIMEOUT - the search took more processor time than the option `searchTimeoutMs` of `open` allows.
   */
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>
  /**
   * Validates a request as {@link search} does, without searching: for callers that must reject an invalid request before
   * they do anything else, such as charge for it.
   *
   * @throws ASOF_INVALID_QUERY, ASOF_INVALID_TIME, ASOF_INVALID_OPTION - as `search` does.
   */
  check(query: string, options?: SearchOptions): Promise<void>
  /**
   * Suggests titles and sites of current pages that contain words beginning like the words of the text. Considers the
   * newest 20,000 pages, in a state at most a minute old. The first call collects them.
   *
   * @param text - the text typed so far, at most 200 characters. Without words the list is empty.
   * @param options.maxResults - 1 to 50. Default 10. The first suggestions are the same for every number.
   * @throws ASOF_INVALID_QUERY - the text is too long.
   * @throws ASOF_INVALID_OPTION - an option is unknown, or `maxResults` has the wrong type or is out of range.
   */
  suggest(text: string, options?: { maxResults?: number }): Promise<Suggestion[]>
  /**
   * Returns the page, text and metadata, as it was at `queryTime` (default now); undefined if the index had none.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   */
  page(url: string, options?: PageOptions): Promise<Page | undefined>
  /**
   * Lists the versions of one URL, oldest first, one part at a time. An alias lists the versions of the page that it leads
   * to. As of `queryTime`, the list equals that of an index without anything later. Parts with large pages are shorter.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   * @throws ASOF_INVALID_OPTION - `maxResults` is out of range, or `after` is not a cursor of this URL; `details.field` names it.
   */
  history(url: string, options?: HistoryOptions): Promise<HistoryPart>
  /**
   * Returns when each version of one URL began, all of them, without reading any content; `undefined` if the index never
   * had the page. Resolves aliases as {@link history} does.
   *
   * @throws ASOF_INVALID_URL
   */
  timeline(url: string): Promise<Timeline | undefined>
  /**
   * Exports all observations of all pages: URL by URL, those of each oldest first, one part at a time. Each
   * capture and each later revision of its metadata is one with its content; sightings, removals and aliases follow in between,
   * aliases also of URLs without a page.
   * Another engine to which all parts are added gives the same answers as of every instant, with receipts in which everything
   * is declared. Observations that are added between two parts may be missing; purged ones are.
   *
   * @throws ASOF_INVALID_OPTION - an option is unknown, has the wrong type or is out of range.
   */
  export(options?: ExportOptions): Promise<ExportPart>
  /**
   * Records that a page was found unchanged now, for example by a re-fetch answered with 304: updates its `lastSeenAt`.
   * Returns true if the index has the page.
   *
   * @throws ASOF_INVALID_URL
   */
  markSeen(url: string): Promise<boolean>
  /**
   * Removes a page from now on; answers as of the past still have it. Returns true if there was a page. The removal also
   * applies to captures that are declared later as acquired before it.
   *
   * With `at` the removal is declared history: the page is gone from that instant until its next capture, in whatever order
   * they arrive. It then applies to this very URL: aliases are not followed.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `at` is no instant, or in the future.
   * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
   */
  remove(url: string, options?: RemoveOptions): Promise<boolean>
  /**
   * Deletes a page from all of time. Its content is deleted at once. Its postings leave the disk within minutes, or when
   * the engine is closed, unless their segment is large. Returns the number of captures purged.
   *
   * @throws ASOF_INVALID_URL
   */
  purge(url: string): Promise<number>
  stats(): Promise<EngineStats>
  /**
   * Computes the vectors of all captures that have none of the embeddings model: captures older than the use of the model,
   * and captures added while it failed. Reads and writes continue. If it fails, the vectors computed so far are kept, and
   * the next call continues from there.
   *
   * @throws ASOF_INVALID_OPTION - the engine was opened without an embeddings model, or an option is unknown.
   * @throws ASOF_MODEL_FAILED - the model failed, or did not answer in 60 s.
   * @throws ASOF_STORE_WRITE - vectors could not be written.
   * @throws ASOF_CLOSED
   */
  embed(options?: EmbedOptions): Promise<EmbedReport>
  /**
   * Copies the index, in the state in which the copying begins, into a new data folder that can be opened like any other.
   * Reads and writes continue.
   *
   * @param dir - must not exist, or be empty, and must not be in the data folder, also by a link. The unfinished backup has
   *   the name `<dir>.partial`.
   * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
   * @throws ASOF_BACKUP_TARGET - `dir` is not empty, is in the data folder, or cannot be created.
   * @throws ASOF_STORE_CORRUPT - the index is damaged.
   * @throws ASOF_STORE_READ - the index could not be read, or the copy could not be written, such as on a full disk.
   * @throws ASOF_CLOSED - the engine was closed, or the signal aborted the backup.
   */
  backup(dir: string, options?: BackupOptions): Promise<BackupReport>
  /** Waits for the commit under way and for a merge to reach a safe point, then releases the folder. Idempotent. */
  close(): Promise<void>
}
