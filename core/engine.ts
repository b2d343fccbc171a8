import type { CaptureInput, Page, TimeInput } from './page.ts'

/** Which ranking answers: `realtime` is one BM25F pass, `pro` looks deeper. */
export type Ranking = 'pro' | 'realtime'

/** How a search is asked for: by its ranking, or as `webql`, which reads the query in the full language. */
export type SearchMode = Ranking | 'webql'

/**
 * Filters and limits of a search. Times are instants, or strings in the formats of spec 2.4 and 2.5; an empty string, in
 * a time or in `site`, means "not given", as `undefined` does everywhere.
 */
export interface SearchOptions {
  /** Default `pro`. */
  mode?: SearchMode
  /** A domain; its subdomains match too. */
  site?: string
  acquiredAfter?: TimeInput
  acquiredBefore?: TimeInput
  publishedAfter?: TimeInput
  publishedBefore?: TimeInput
  /**
   * Answer as of this instant: captures acquired later are not candidates and count in no statistic. Up to 60 s ahead of
   * the engine's clock means now; the receipt says which instant that was.
   */
  queryTime?: TimeInput
  /** 1 to 1,000. Default 10. */
  maxResults?: number
  /**
   * The language of the query's words, as a BCP 47 tag: they are found in any form that it has. Default: what the words
   * tell, among the languages that pages are in as of the instant.
   */
  language?: string
  /** 180 to 10,000 code points, or 0 for no snippets. Default 600. */
  snippetMaxLength?: number
  /**
   * Whether the query may be sent to the models that the engine was opened with. False: it is answered as if there were
   * none. Default true.
   */
  models?: boolean
  /** Whether the answer says where its time went and what its scores are made of. Default false, which costs nothing. */
  explain?: boolean
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
  /** The publish date that was valid at the instant answered as of: epoch milliseconds, UTC. */
  publishedAt?: number
  /** When the text was acquired: epoch milliseconds, UTC. */
  acquiredAt: number
  /**
   * The page's language, ISO 639-1, as its script, what it says of itself, and its words told it. Present in answers to
   * searches that name a `language`; absent where it could not be told.
   */
  language?: string
}

/** What an answer was made from. Two equal receipts for one request mean two equal answers. */
export interface Receipt {
  /** The instant answered as of, epoch milliseconds. */
  instant: number
  captures: number
  segments: number
  profile: string
  analyzer: string
  /**
   * Captures up to the instant whose `acquiredAt` was declared by the caller rather than stamped, and declared changes of
   * what a search asks about a page besides its text: date, author, kind, language, description.
   */
  declared: number
  /** Captures purged from all of time. */
  purged: number
  /** Captures let go because they were superseded longer ago than the index retains them. */
  dropped: number
  /**
   * Present once captures were let go: the instant that the last of them was superseded at, epoch milliseconds. As of
   * it and later no result is missing; as of earlier instants the answer is made of what is left.
   */
  retainedSince?: number
  /** Matches a published filter left out because they have no publish date; counting stops at 1,000. */
  undated: number
  /** Present when vectors took part. */
  vectors?: VectorReceipt
  /** Present when a model put the first results in order: its name. */
  reranker?: string
}

/** What an answer owes to an embeddings model. */
export interface VectorReceipt {
  /** See `Embedder.model`. */
  model: string
  /** Vectors of it that were ever written after their capture, by {@link Engine.embed}: each may change answers of the past. */
  late: number
  /** The first 64 bits of the SHA-256 of the query's vector, in hex: a model may answer one query differently. */
  query: string
}

export interface SearchAnswer {
  query: string
  /** `pro` for a search asked for as `webql`. */
  mode: Ranking
  results: SearchResult[]
  /**
   * Present when the request was not answered as a plain search: says what was done instead, or that the index holds no
   * page as of the instant. Several are joined with `; `.
   */
  warning?: string
  /** Present when the query is a URL, normalised: its page was looked up instead of searched for. */
  queriedUrl?: string
  receipt: Receipt
  /** Present when `explain` was asked for. */
  explain?: Explanation
}

/** Where the time of an answer went, and what its scores are made of. */
export interface Explanation {
  timings: AnswerTimings
  /** For each result, in their order, what each term and each signal adds to its score. Empty for a page that was looked up by its URL. */
  scores: ScorePart[][]
  /**
   * The language that the query was analysed in, ISO 639-1: the one named, or the one that its words told. Absent where
   * these were analysed as those of any text are, English among them, and in mode `webql`.
   */
  language?: string
}

/** Milliseconds that each step of an answer took, on the thread that made it; waiting for a turn is not counted. */
export interface AnswerTimings {
  /** Checking the request and reading the query. */
  parse: number
  /** Statistics of the collection as of the instant, and how many captures hold each term. */
  statistics: number
  /** Finding the best captures. */
  topK: number
  /** Reading the results and making their snippets. */
  snippets: number
  /** The sum. */
  total: number
}

/** What one term of the query, or one signal of `pro`, adds to the score of one result. */
export type ScorePart = TermPart | SignalPart

/**
 * What one term of the query adds to the score of one result. In the full language a `prefix*` and a `fuzzy~` count as
 * one occurrence in a page of average length, whichever of their words the page has.
 */
export interface TermPart {
  /**
   * As the index knows it: folded, and stemmed where it is English. A quoted phrase whose words were searched for like
   * other words is in quotation marks; it counts as a word that a page of average length says once.
   */
  term: string
  /** Inverse document frequency as of the instant, times how often the query says the term. */
  weight: number
  /** How often the page says it, an occurrence in the title counting three times. */
  frequency: number
  /** Words of the page, those of the title counting three times. */
  length: number
  /** The parts of a result add up to its score exactly. */
  score: number
}

/** What one signal of `pro` adds to the score of one result. */
export interface SignalPart {
  /** Its name in the ranking profile. */
  signal: string
  /** What 1 of its value adds: it depends on the other candidates, so scores of two queries do not compare. */
  weight: number
  value: number
  /** The parts of a result add up to its score exactly. */
  score: number
}

/** What somebody who has typed the beginning of a query may be looking for. */
export interface Suggestion {
  kind: 'title' | 'site'
  /** The title of a page, or the host of a site. */
  text: string
  /** The page of a title. */
  url?: string
}

/** What became of the captures of one call. Each is counted once: added, revised, unchanged or failed. */
export interface AddReport {
  /** Captures with a title or text that differs from what was there before them. */
  added: number
  /**
   * Captures with the title and text that were there before them, and other metadata (publish date, author, kind,
   * language, description, site name or structured data), other markup or other white space. As of their instant and
   * later the page has these.
   */
  revised: number
  /** Captures with the same title, text, markup and metadata as what was there before them. */
  unchanged: number
  failed: { url: string; error: Error }[]
  /** Fields whose value was left out or cut while the capture was kept. Often empty. */
  warnings: AddWarning[]
}

/** A value of a capture that was not kept as it was given. */
export interface AddWarning {
  /** As the caller gave it. */
  url: string
  /** The field of `CaptureInput`. */
  field: string
  /** Why, and what became of the value: `later than acquiredAt: left out`, for example. */
  reason: string
}

export interface EngineStats {
  captures: number
  urls: number
  segments: number
  terms: number
  /** Bytes on disk. */
  bytes: number
  /** Merges of segments under way: 0 or 1. */
  merges: number
  /** Present when the engine was opened with an embeddings model: the captures that have its vector. */
  vectors?: number
  /** Oldest and newest `acquiredAt`, epoch milliseconds. */
  oldest?: number
  newest?: number
}

export interface EmbedOptions {
  /** Told of how many captures have been looked at, of how many. */
  onProgress?: (report: EmbedReport) => void
  /** Ends it after the captures in hand. */
  signal?: AbortSignal
}

/** Captures and their vectors, of those that {@link Engine.embed} looked at. */
export interface EmbedReport {
  /** Captures looked at. */
  captures: number
  /** Those that lacked a vector and have one now. */
  embedded: number
}

export interface BackupOptions {
  /**
   * Puts other files into the folder being made, before the state of the index to be copied is fixed. Not `index`.
   */
  beside?: (folder: string) => Promise<void>
  /** Told of the bytes copied so far. */
  onProgress?: (copiedBytes: number) => void
  /** Stops the backup; nothing of it is left. */
  signal?: AbortSignal
}

/** What a backup holds. */
export interface BackupReport {
  /** Epoch milliseconds: as of it and of every earlier instant the backup answers as the index did. */
  instant: number
  captures: number
  urls: number
  /** Bytes copied. */
  bytes: number
}

/** One part of the versions of all pages. */
export interface HistoryPart {
  /** One page for each capture, and one, with `revisedAt`, for each later change of its metadata. */
  captures: Page[]
  /** Where the next part begins; absent after the last one. */
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

/** One stretch of a URL's history: the page as it was from `at` to `supersededAt`, or its absence. Instants are epoch milliseconds. */
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

/** Filters and limits of {@link Engine.versions}. */
export interface VersionsOptions {
  /** List only what had happened by this instant. Default now. */
  queryTime?: TimeInput
  /** `next` of the part before. Default: the first part. */
  after?: string
  /** Versions in a part, 1 to 1,000. Default 100. */
  limit?: number
}

/** One part of the versions of one URL. */
export interface VersionsPart {
  /** The URL under which the page is stored: the target if the requested URL is an alias. */
  url: string
  /** Oldest first; empty if the index has none. */
  versions: PageVersion[]
  /** Where the next part begins; undefined after the last one. */
  next?: string
}

/** When each version of one URL began. */
export interface Timeline {
  /** See {@link VersionsPart.url}. */
  url: string
  /** Oldest first. */
  versions: Pick<PageVersion, 'kind' | 'at'>[]
}

/** Options of {@link Engine.page}. */
export interface PageOptions {
  /** Default now. */
  queryTime?: TimeInput
  /** Whether the page says in `supersededAt` when it stopped being current. Default false. */
  supersededAt?: boolean
}

/**
 * The engine as everything above it sees it. Transports and crawler depend on this interface alone, so that an
 * engine spread over machines can take its place.
 */
export interface Engine {
  /**
   * Adds captures. Resolves when they are durable and searchable; what it reported as added survives `kill -9`.
   * A capture that can't be taken is reported in `failed` and stops nothing else; one with a field that `CaptureInput`
   * does not have is such a capture.
   *
   * @throws ASOF_INVALID_CAPTURE - `captures` is not iterable; a single capture goes into a list.
   * @throws ASOF_STORE_WRITE - the batch could not be committed (a full disk, say); nothing of that batch was kept.
   * @throws ASOF_CLOSED
   */
  add(captures: Iterable<CaptureInput> | AsyncIterable<CaptureInput>): Promise<AddReport>
  /**
   * Returns the captures that match as of one instant, best first; ties by newer `acquiredAt`, then URL.
   *
   * @throws ASOF_INVALID_QUERY - empty, or over 2,048 characters; in mode `webql` also what is none of the language:
   *   `details.position` says where, as a UTF-16 offset.
   * @throws ASOF_INVALID_TIME - a time in no known format, or a `queryTime` more than 60 s in the future.
   * @throws ASOF_INVALID_OPTION - an unknown option (`details.nearest` is the one that was probably meant), or one of
   *   another type, `null` included, or out of range; `details.field` names it.
   * @throws ASOF_SEARCH_FAILED - it ended the threads that took it, as by running out of memory.
   * @throws ASOF_SEARCH_TIMEOUT - it took more processor time than `searchTimeoutMs` of `open` allows.
   */
  search(query: string, options?: SearchOptions): Promise<SearchAnswer>
  /**
   * Finds out whether {@link search} would take a request, without searching: for whoever must refuse a bad request
   * before he does anything else for it.
   *
   * @throws ASOF_INVALID_QUERY, ASOF_INVALID_TIME, ASOF_INVALID_OPTION as `search` does.
   */
  check(query: string, options?: SearchOptions): Promise<void>
  /**
   * Suggests titles and sites of the pages that are in the index now and hold words beginning as those of the text do: of
   * the newest 20,000, as they were no more than a minute ago. The first call gathers them.
   *
   * @param text - what was typed so far, at most 200 characters.
   * @param options.limit - 1 to 50. Default 10.
   * @throws ASOF_INVALID_QUERY - empty, or too long.
   * @throws ASOF_INVALID_OPTION - an unknown option, or a `limit` of another type or out of range.
   */
  suggest(text: string, options?: { limit?: number }): Promise<Suggestion[]>
  /**
   * Returns the page as it was at `queryTime` (default now), text and metadata, or `undefined` if the index had none.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   */
  page(url: string, options?: PageOptions): Promise<Page | undefined>
  /**
   * Lists the versions of one URL, oldest first, a part at a time; an alias lists the page that it leads to. As of
   * `queryTime` the list is the one that an index without anything later would give. Large pages make a part shorter.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   * @throws ASOF_INVALID_OPTION - `limit` is out of range, or `after` is not a cursor of this URL; `details.field` names it.
   */
  versions(url: string, options?: VersionsOptions): Promise<VersionsPart>
  /**
   * Returns when each version of one URL began, all of them, without reading any content; `undefined` if the index never
   * had the page. Resolves aliases as {@link versions} does.
   *
   * @throws ASOF_INVALID_URL
   */
  timeline(url: string): Promise<Timeline | undefined>
  /**
   * Returns every version of every page of all of time, URL by URL, those of each oldest first, a part at a time: for an
   * export. A capture and each later revision of its metadata is a version. Versions that are added meanwhile may be
   * missing; purged ones are.
   *
   * @param options.after - `next` of the part before. Default: the first part.
   * @param options.limit - captures in a part, 1 to 1,000; large ones make it shorter. Default 100.
   * @throws ASOF_INVALID_OPTION - an unknown option, or one of another type or out of range.
   */
  history(options?: { after?: string; limit?: number }): Promise<HistoryPart>
  /**
   * Notes that a page was found unchanged now, as by a re-fetch answered 304: moves its `lastSeenAt`. Returns whether
   * the index has the page.
   */
  seen(url: string): Promise<boolean>
  /**
   * Takes a page out of the index from now on; the past still knows it. Returns whether there was one. The removal counts
   * for captures, too, that are declared later as acquired before it.
   */
  remove(url: string): Promise<boolean>
  /**
   * Takes a page out of all of time. Its content is deleted at once; its postings leave the disk within minutes, or by
   * {@link close} unless their segment is large. Returns the captures purged.
   */
  purge(url: string): Promise<number>
  stats(): Promise<EngineStats>
  /**
   * Asks the embeddings model for the vectors of all captures that have none of it: those that were in the index before the
   * model was, and those that were added while it failed. Reading and writing go on meanwhile; what was embedded when it
   * fails is kept, and the next call goes on from there.
   *
   * @throws ASOF_INVALID_OPTION - the engine was opened without an embeddings model; or an unknown option.
   * @throws ASOF_MODEL_FAILED - the model failed, or did not answer in 60 s.
   * @throws ASOF_STORE_WRITE - vectors could not be written.
   * @throws ASOF_CLOSED
   */
  embed(options?: EmbedOptions): Promise<EmbedReport>
  /**
   * Copies the index, as it stands when the copying begins, into a new data folder that can be opened like any other.
   * Reading and writing go on meanwhile.
   *
   * @param dir - must not exist, or be empty. While the backup is being made it is called `<dir>.partial`.
   * @throws ASOF_INVALID_OPTION - an unknown option, or one of another type.
   * @throws ASOF_BACKUP_TARGET - there is something in `dir`, or it can't be made.
   * @throws ASOF_STORE_CORRUPT - something in the index is not what was written there.
   * @throws ASOF_STORE_READ - it could not be read, or the copy not be written (a full disk, say).
   * @throws ASOF_CLOSED - the engine was closed meanwhile, or the signal aborted.
   */
  backup(dir: string, options?: BackupOptions): Promise<BackupReport>
  /** Waits for the batch in hand and for a merge to reach a safe point, then releases the folder. Idempotent. */
  close(): Promise<void>
}
