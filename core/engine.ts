import type { AddReport } from './add-report.ts'
import type { FieldFilter } from './fields/field-filter.ts'
import type { Fields, ObservationInput, Page, TimeInput } from './page.ts'

/**
 * The mode of a search. `realtime` ranks pages in one BM25F pass. `pro` re-ranks the best hits of that pass by more signals. `webql` parses
 * the query in the full query language, and ranks like `realtime`.
 */
export type SearchMode = 'pro' | 'realtime' | 'webql'

/**
 * Filters and limits of a search. A time is an instant, or a string in a format of sections 2.4 and 2.5 of the service contract. An empty
 * time or `site` means "not given", like `undefined`.
 */
export interface SearchOptions {
  /** Default `pro`. */
  mode?: SearchMode
  /** A domain. Its subdomains match too. */
  site?: string
  /** Conditions on the fields that a page had at the instant of the answer. */
  filter?: FieldFilter
  acquiredAfter?: TimeInput
  acquiredBefore?: TimeInput
  publishedAfter?: TimeInput
  publishedBefore?: TimeInput
  /**
   * True if the four time filters, and the ranges of a `webql` query, accept the unit `w` (weeks). `queryTime` always does. Default false.
   */
  weeksInFilters?: boolean
  /**
   * The instant of the answer. Captures acquired later are neither found nor counted in any statistic. An instant up to 60 s ahead of the
   * engine's clock means now; the receipt contains the instant used.
   */
  queryTime?: TimeInput
  /** 1 to 1,000. Default 10. */
  maxResults?: number
  /**
   * The language of the query's words, as a BCP 47 tag. Words are found in all their forms in this language. Default: the language is
   * detected from the words, among the languages that pages had at the instant.
   */
  language?: string
  /** 180 to 10,000 UTF-16 units, or 0 for no snippets. Default 600. */
  snippetMaxLength?: number
  /** True if the query may be sent to the models of the engine. If false, the answer is that of an engine without models. Default true. */
  models?: boolean
  /** True if the answer must contain timings and the parts of its scores. Default false. */
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
  /** The publish date that the page had at the instant of the answer: epoch milliseconds, UTC. */
  publishedAt?: number
  /** When the text was acquired: epoch milliseconds, UTC. */
  acquiredAt: number
  /** The fields that the page had at the instant of the answer. Absent if it had none. */
  fields?: Fields
  /**
   * The language of the page, ISO 639-1, detected from its script, its declarations and its words. Present only if it could be detected and
   * the search has a `language`.
   */
  language?: string
}

/** Identifies the state of the index from which an answer was made. Equal receipts for the same request mean equal answers. */
export interface Receipt {
  /** The instant of the answer, epoch milliseconds. */
  instant: number
  /** Number of captures acquired up to the instant, including superseded ones and excluding purged and expired ones. */
  captures: number
  /** Number of segments that contain a capture acquired up to the instant. */
  segments: number
  /** The name of the ranking profile. */
  profile: string
  /** The identity of the text rules by which the terms of index and query were made. */
  analyzer: string
  /**
   * Number of declared captures up to the instant (the engine stamped the others), of declared changes of searchable metadata (date,
   * author, kind, language, description), and of declared removals that ended a page.
   */
  declared: number
  /** Number of captures purged from all of time. */
  purged: number
  /** Number of captures that retention deleted. */
  dropped: number
  /**
   * The latest instant at which a capture that retention deleted was superseded, epoch milliseconds. Absent if retention has deleted none. As
   * of this instant and later, no result is missing. Answers as of earlier instants lack the deleted captures.
   */
  retainedSince?: number
  /** Number of matches without a publish date that a filter on it excluded; counted up to 1,000. */
  undated: number
  /** Present if vectors took part in the ranking. */
  vectors?: VectorReceipt
  /** The name of the model that ordered the first results. Absent if none did. */
  reranker?: string
}

/** The role of an embeddings model in an answer. */
export interface VectorReceipt {
  /** See `Embedder.model`. */
  model: string
  /** Number of its vectors that {@link Engine.embed} wrote later than their capture. Each may change answers as of the past. */
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
   * Says what was done instead of a plain search, or that the index has no page as of the instant. Several warnings are joined with `; `.
   * Absent if there is nothing to say.
   */
  warning?: string
  /** The normalized URL, if the query is a URL. The answer then has the page of that URL. */
  queriedUrl?: string
  receipt: Receipt
  /** Present if the option `explain` is true. */
  explain?: Explanation
}

/** The timings of an answer and the parts of its scores. */
export interface Explanation {
  timings: AnswerTimings
  /** What each term and each signal adds to the score of each result, in order. Empty if a page was looked up by its URL. */
  scores: ScorePart[][]
  /**
   * The language in which the query was analyzed, ISO 639-1: the option `language`, or the detected language. Undefined if no rules of one
   * language were used. That is always so for English, and in mode `webql`.
   */
  language?: string
}

/** Milliseconds that each step of an answer took on its thread, without the time in the queue. */
export interface AnswerTimings {
  /** Checking the request, and parsing and analyzing the query. */
  parse: number
  /**
   * Computing the document frequency of each term as of the instant. If the query was searched for again in another form, such as with
   * corrected spelling, this includes the searches before the last one.
   */
  statistics: number
  /** Finding and re-ranking the best captures. */
  topK: number
  /** Reading the results and making their snippets. */
  snippets: number
  /** The sum of the other times. */
  total: number
}

/** The addend of one term of the query, or of one signal of `pro`, in the score of one result. */
export type ScorePart = TermPart | SignalPart

/**
 * The addend of one term of the query in the score of one result. In mode `webql`, a `prefix*` or a `fuzzy~` counts as one occurrence in a
 * page of average length, whichever of its words the page contains.
 */
export interface TermPart {
  /**
   * The term as indexed: case-folded, and stemmed if it is English. A quoted phrase whose words were searched for like other words is in
   * quotation marks, and counts like a word that occurs once in a page of average length.
   */
  term: string
  /** Inverse document frequency as of the instant, multiplied by the number of occurrences in the query. */
  weight: number
  /** Number of occurrences in the page. An occurrence in the title counts three times. */
  frequency: number
  /** Number of words of the page. A word of the title counts three times. */
  length: number
  /** What this part adds to the score of the result. All parts add up exactly to that score. */
  score: number
}

/** The addend of one signal of `pro` in the score of one result. */
export interface SignalPart {
  /** The name of the signal in the ranking profile. */
  signal: string
  /** Score for each unit of `value`. It depends on the other candidates, so scores of different queries cannot be compared. */
  weight: number
  value: number
  /** The sum of the parts of a result is exactly its score. */
  score: number
}

/** A completion of the beginning of a query. */
export interface Suggestion {
  kind: 'title' | 'site'
  /** The title of a page, or the host of a site. */
  text: string
  /** The URL of the page, if the text is a title. */
  url?: string
}

export interface EngineStats {
  /** Number of captures, including superseded ones and excluding purged and expired ones. */
  captures: number
  /** Number of URLs with at least one observation. */
  urls: number
  segments: number
  /**
   * Number of entries in the dictionaries on disk. A term counts once for each segment that contains it, and the terms of replaced, purged or
   * expired captures count until a merge drops them. So it measures size, and not vocabulary.
   */
  terms: number
  /** Bytes on disk. */
  bytes: number
  /** Number of running merges: 0 or 1. */
  merges: number
  /** Number of captures with a vector of the embeddings model, if the engine was opened with one. */
  vectors?: number
  /** The earliest `acquiredAt`, epoch milliseconds. Undefined if the index is empty. */
  oldest?: number
  newest?: number
}

export interface EmbedOptions {
  /** Called with the totals so far. */
  onProgress?: (report: EmbedReport) => void
  /** Stops the call after the current captures. */
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
  /** Writes other files into the new folder, before the state that is copied is fixed. It must not use the name `index`. */
  beside?: (folder: string) => Promise<void>
  /** Called with the number of bytes copied so far. */
  onProgress?: (copiedBytes: number) => void
  /** Stops the backup and deletes the unfinished folder. */
  signal?: AbortSignal
}

/** The result of {@link Engine.backup}. */
export interface BackupReport {
  /** The instant of the backup, epoch milliseconds. As of it and every earlier instant, the backup gives the answers of the index. */
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
  /** Maximum number of observations in a part, 1 to 1,000. A part with large pages has fewer. Default 100. */
  maxResults?: number
}

/** One part of the observations of all pages, see {@link Engine.export}. */
export interface ExportPart {
  /** Each observation has its instant, and the form that {@link Engine.add} accepts. */
  observations: ObservationInput[]
  /** The cursor of the next part; undefined after the last one. */
  next?: string
}

/**
 * The parts of a page that {@link PageVersion.changed} names. `text` is the page's plain text. `markup` stands for links, emphasis and
 * white space, if title and text are unchanged.
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
  /** When the version began. `page` returns it as of this instant and later, up to `supersededAt`. */
  at: number
  /** When the page was last seen unchanged; `at` for a removal. */
  lastSeenAt: number
  /** When the next version began. Undefined for the last version. */
  supersededAt?: number
  /** The title of the page. A removal has the title of the page that was removed. */
  title: string
  /** Undefined for a removal, and if the page has no publish date. */
  publishedAt?: number
  /**
   * The parts that differ from the version before. After a removal: from the last version before the removal. Empty for the first version
   * and for a removal.
   */
  changed: PagePart[]
}

/** Filters and limits of {@link Engine.history}. */
export interface HistoryOptions {
  /** Lists only the versions that began up to this instant. Default now. */
  queryTime?: TimeInput
  /** `next` of the previous part. Default: the first part. */
  after?: string
  /** Maximum number of versions in a part, 1 to 1,000. Default 100. */
  maxResults?: number
}

/** One part of the versions of one URL. */
export interface HistoryPart {
  /** The URL under which the page is stored. If the requested URL is an alias, this is the URL that it leads to. */
  url: string
  /** The versions, oldest first. Empty if the index has none. */
  versions: PageVersion[]
  /** The cursor of the next part; undefined after the last one. */
  next?: string
}

/** Options of {@link Engine.remove}. */
export interface RemoveOptions {
  /** The instant of the removal, which must not be in the future. Default: the engine stamps the removal. */
  at?: TimeInput
}

/** When each version of one URL began. */
export interface Timeline {
  /** See {@link HistoryPart.url}. */
  url: string
  /** The versions, oldest first. */
  versions: Pick<PageVersion, 'kind' | 'at'>[]
}

/** Options of {@link Engine.page}. */
export interface PageOptions {
  /** Default now. */
  queryTime?: TimeInput
  /** True if the page must have the field `supersededAt`: the instant at which it stopped being current. Default false. */
  supersededAt?: boolean
  /**
   * Maximum length of `markdown`, UTF-16 units, from 0. The rest of a large page is not decompressed. So a caller that needs only the
   * beginning should set a maximum. Default: no maximum.
   */
  markdownMaxLength?: number
}

/**
 * The interface of the engine. Transports and crawler depend on nothing else, so another implementation, such as one on several machines,
 * can replace the local engine. `asof/testing` exports tests that every implementation must pass.
 */
export interface Engine {
  /**
   * Adds captures, and declares removals, sightings and aliases of the past. Resolves when they are durable and searchable: captures that
   * are reported as added survive `kill -9`. An invalid observation, such as one with an unknown field, is reported in `failed`; the others
   * are added.
   *
   * The order of observations makes no difference, with one exception: of two observations of one URL and millisecond, the later to arrive
   * replaces the other, which then does not count.
   *
   * @throws ASOF_INVALID_CAPTURE - `observations` is not iterable; put a single capture into a list.
   * @throws ASOF_STORE_WRITE - a commit failed, such as on a full disk; nothing of it was kept.
   * @throws ASOF_CLOSED
   */
  add(observations: Iterable<ObservationInput> | AsyncIterable<ObservationInput>): Promise<AddReport>
  /**
   * Returns the captures that match as of one instant, best first. Equal scores are ordered by newer `acquiredAt`, then by URL.
   *
   * @throws ASOF_INVALID_QUERY - the query is empty, has over 2,048 characters, or has a syntax error in mode `webql`;
   *   then `details.position` is the UTF-16 offset of the error.
   * @throws ASOF_INVALID_TIME - a time is in no known format, or `queryTime` is more than 60 s in the future.
   * @throws ASOF_INVALID_OPTION - an option is unknown (`details.nearest` is the option probably meant), has the wrong type
   *   (`null` included) or is out of range; `details.field` names it.
   * @throws ASOF_SEARCH_FAILED - the search ended the threads that ran it, for example by running out of memory.
   * @throws ASOF_SEARCH_TIMEOUT - the search took more processor time than the option `searchTimeoutMs` of `open` allows.
   */
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>
  /**
   * Validates a request as {@link search} does, without searching. For callers that must reject an invalid request before they do
   * anything else, such as charge for it.
   *
   * @throws ASOF_INVALID_QUERY, ASOF_INVALID_TIME, ASOF_INVALID_OPTION - as `search` does.
   */
  check(query: string, options?: SearchOptions): Promise<void>
  /**
   * Suggests titles and sites of current pages that have a word beginning with each word of the text. Suggestions come from the newest
   * 20,000 pages, as they were at most a minute ago. The first call collects them.
   *
   * @param text - the text typed so far, at most 200 characters. Without words the list is empty.
   * @param options.maxResults - 1 to 50. Default 10. The first suggestions are the same for every number.
   * @throws ASOF_INVALID_QUERY - the text is too long.
   * @throws ASOF_INVALID_OPTION - an option is unknown, or `maxResults` has the wrong type or is out of range.
   */
  suggest(text: string, options?: { maxResults?: number }): Promise<Suggestion[]>
  /**
   * Returns the page, text and metadata, as it was at `queryTime` (default now); undefined if there was none.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   */
  page(url: string, options?: PageOptions): Promise<Page | undefined>
  /**
   * Lists the versions of one URL, oldest first, in parts. For an alias, lists the versions of the page that it leads to. As of
   * `queryTime`, the list is that of an index that has nothing later. A part with large pages has fewer versions.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   * @throws ASOF_INVALID_OPTION - `maxResults` is out of range, or `after` is not a cursor of this URL; `details.field` names it.
   */
  history(url: string, options?: HistoryOptions): Promise<HistoryPart>
  /**
   * Returns when each version of one URL began, all in one list, without reading any content. `undefined` if the index never had the page.
   * Resolves aliases as {@link history} does.
   *
   * @throws ASOF_INVALID_URL
   */
  timeline(url: string): Promise<Timeline | undefined>
  /**
   * Exports the observations of all pages in parts, URL by URL, oldest first. A capture, and each later revision of its metadata, is an
   * observation with its content. Sightings, removals and aliases come between them by instant; aliases also come for URLs without a page.
   * Another engine to which all parts are added gives the same answers as of every instant; in its receipts everything is declared. An
   * observation that is added between two parts may be missing. A purged one is missing.
   *
   * @throws ASOF_INVALID_OPTION - an option is unknown, has the wrong type or is out of range.
   */
  export(options?: ExportOptions): Promise<ExportPart>
  /**
   * Records that a page was found unchanged now, for example because a fetch was answered with 304: updates its `lastSeenAt`. Returns true if
   * the index has the page.
   *
   * @throws ASOF_INVALID_URL
   */
  markSeen(url: string): Promise<boolean>
  /**
   * Removes a page from now on. Answers as of the past still have it. Returns true if there was a page. The removal also ends captures
   * that are declared later but were acquired before it.
   *
   * With `at` the removal is declared history: the page is gone from that instant until its next capture, in whatever order they arrive. It
   * then applies only to this URL: aliases are not followed.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `at` is no instant, or in the future.
   * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
   */
  remove(url: string, options?: RemoveOptions): Promise<boolean>
  /**
   * Deletes a page from all of time. Its content is deleted at once. Its postings leave the disk within minutes or when the engine is
   * closed, unless their segment is large. Returns the number of purged captures.
   *
   * @throws ASOF_INVALID_URL
   */
  purge(url: string): Promise<number>
  stats(): Promise<EngineStats>
  /**
   * Computes the missing vectors: for captures that are older than the use of the embeddings model, and for captures that were added
   * while it failed. Reads and writes continue. If it fails, the vectors computed so far are kept, and the next call continues from there.
   *
   * @throws ASOF_INVALID_OPTION - the engine was opened without an embeddings model, or an option is unknown.
   * @throws ASOF_MODEL_FAILED - the model failed, or did not answer in 60 s.
   * @throws ASOF_STORE_WRITE - vectors could not be written.
   * @throws ASOF_CLOSED
   */
  embed(options?: EmbedOptions): Promise<EmbedReport>
  /**
   * Copies the index, in the state in which the backup begins, into a new data folder that can be opened like any other. Reads and writes
   * continue.
   *
   * @param dir - must be empty or not exist, and must not be inside the data folder, also not by a link. Until the backup is complete, it
   *   has the name `<dir>.partial`.
   * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
   * @throws ASOF_BACKUP_TARGET - `dir` is not empty, is in the data folder, or cannot be created.
   * @throws ASOF_STORE_CORRUPT - the index is damaged.
   * @throws ASOF_STORE_READ - the index could not be read, or the copy could not be written, such as on a full disk.
   * @throws ASOF_CLOSED - the engine was closed, or the signal aborted the backup.
   */
  backup(dir: string, options?: BackupOptions): Promise<BackupReport>
  /** Waits for the running commit, and for a merge to reach a safe point. Then releases the folder. May be called again. */
  close(): Promise<void>
}
