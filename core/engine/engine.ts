import type { BulkOptions, BulkReport } from '../bulk/bulk-report.ts'
import type { PageSelection } from '../bulk/page-selection.ts'
import type { ExportOptions, ExportSlice } from '../history/history-export.ts'
import type { HistoryOptions, HistorySlice, PageOptions, PageVersion, Timeline } from '../history/page-version.ts'
import type { AddOptions } from '../ingest/add-captures.ts'
import type { AddReport } from '../ingest/add-report.ts'
import type { EmbedOptions, EmbedReport } from '../ingest/missing-vectors.ts'
import type { DocumentInput, Observation, ObservationInput, Page, TimeInput } from '../page.ts'
import type { PassagesAnswer, PassagesOptions } from '../passages/passages-answer.ts'
import type { QuoteToVerify, QuoteVerdict } from '../quotes/quote-verdict.ts'
import type { Relevance, RelevanceAsOf, RelevanceOptions } from '../relevance/relevance.ts'
import type { FieldAsOf, FieldsOptions } from '../search/fields/fields-as-of.ts'
import type { SearchAnswer, SearchOptions } from '../search/search-answer.ts'
import type { QueryTree } from '../search/webql/query-tree.ts'
import type { BackupOptions, BackupReport } from '../store/backup/backup.ts'
import type { CaptureHistogram } from '../store/snapshots/capture-histogram.ts'
import type { EngineStats } from '../store/snapshots/index-stats.ts'
import type { Suggestion, SuggestOptions } from '../suggest/suggestion.ts'

/** Options of {@link Engine.remove}. */
export interface RemoveOptions {
  /** The instant of the removal, which must not be in the future. Default: the engine stamps the removal. */
  at?: TimeInput
}

/** The methods that read an index. {@link Reads.sealed} returns them as of an instant. */
export interface Reads {
  /**
   * Returns the captures that match as of one instant, best first. Equal scores are ordered by `acquiredAt`, newest
   * first, then by URL. An empty query matches every page that fulfills the filters.
   *
   * @param query - a text, which is read as the option `mode` says, or a {@link QueryTree}.
   *
   * @throws ASOF_INVALID_QUERY - the query is only white space, has over 2,048 characters, or has a syntax error in mode `webql`;
   *   then `details.position` is the UTF-16 offset of the error. For a tree, `details.field` is the path of the wrong part, such as
   *   `query.all[1].phrase`.
   * @throws ASOF_INVALID_TIME - a time is in no known format, or `queryTime` is more than 60 s in the future.
   * @throws ASOF_INVALID_OPTION - an option is unknown (`details.nearest` is the option probably meant), has the wrong
   *   type or is out of range; `details.field` names it.
   * @throws ASOF_SEARCH_FAILED - the search ended the threads that ran it, for example by running out of memory.
   * @throws ASOF_SEARCH_TIMEOUT - the search took more processor time than the option `searchTimeoutMs` of `open`
   *   allows.
   */
  search(query: string | QueryTree, options?: SearchOptions): Promise<SearchAnswer>
  /**
   * Returns the passages that answer a query best, over all pages that match as of one instant, until a number of characters or tokens is
   * reached: an answer for the context window of a model. Each passage is a slice of the Markdown of its page, and passes {@link verify}.
   * Passages come from the 20 best pages of the search for the query. A passage that nearly repeats another one is left out. Of a page
   * without the words of the query in its text, the beginning is returned.
   *
   * @throws - as {@link search}, for its query and its options.
   * @throws ASOF_INVALID_OPTION - `maxChars`, `maxTokens` or `maxPerPage` is out of range.
   */
  passages(query: string | QueryTree, options?: PassagesOptions): Promise<PassagesAnswer>
  /**
   * Checks a request like {@link search}, without searching. It is for callers that must reject an invalid request
   * before anything else, such as a charge.
   *
   * @throws ASOF_INVALID_QUERY, ASOF_INVALID_TIME, ASOF_INVALID_OPTION - as `search` does.
   */
  check(query: string | QueryTree, options?: SearchOptions): Promise<void>
  /**
   * Suggests titles and sites of the pages that are current at `queryTime` (default now). For each word of the text, a suggestion has
   * a word that begins with it. Suggestions come from the newest 20,000 pages, as the index had them at most a minute ago. The first
   * call for an instant collects them, on a search thread if there are any and the index has at least 1,000 captures. All instants
   * between two changes of the index have the same suggestions.
   *
   * @param text - the text typed so far, at most 200 characters. For a text without words the list is empty.
   * @throws ASOF_INVALID_QUERY - the text is too long.
   * @throws ASOF_INVALID_OPTION - an option is unknown, or `maxResults` has the wrong type or is out of range.
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   */
  suggest(text: string, options?: SuggestOptions): Promise<Suggestion[]>
  /**
   * Returns the relevance of the index as of `queryTime` (default now).
   *
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   */
  relevance(options?: RelevanceOptions): Promise<RelevanceAsOf>
  /**
   * Returns the page, with text and metadata, as it was at `queryTime` (default now). Undefined if there was none.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   */
  page(url: string, options?: PageOptions): Promise<Page | undefined>
  /**
   * Lists the versions of one URL, oldest first, in slices. For an alias, lists the versions of its page. As of
   * `queryTime`, nothing later has any effect on the list. A slice with large pages has fewer versions.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   * @throws ASOF_INVALID_OPTION - `maxResults` is out of range, or `cursor` is not one of this URL; `details.field`
   *   names it.
   */
  history(url: string, options?: HistoryOptions): Promise<HistorySlice>
  /**
   * Yields all versions of one URL, oldest first: those of all slices of {@link history}. It reads a slice when the one before was
   * yielded.
   *
   * @throws - as `history` does, at the first step.
   */
  versions(url: string, options?: Pick<HistoryOptions, 'queryTime'>): AsyncIterable<PageVersion>
  /**
   * Returns when each version of one URL began, in one list. Reads no content. Undefined if the index never had the
   * page. Resolves aliases like {@link history}.
   *
   * @throws ASOF_INVALID_URL
   */
  timeline(url: string): Promise<Timeline | undefined>
  /**
   * Judges a quote: is it on the page, word by word, and when was it there? White space, Markdown marks and punctuation do not count,
   * words and numbers do, and so does the letter case, except that of the first letter. Nothing that was acquired after `queryTime` has any
   * effect.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   * @throws ASOF_INVALID_OPTION - the quote has no words or over 2,000 UTF-16 units, or an option is unknown, missing or of
   *   the wrong type; `details.field` names it.
   */
  verify(quote: QuoteToVerify): Promise<QuoteVerdict>
  /**
   * Judges up to 100 quotes as {@link verify} does, in the same order. Those without `queryTime` are judged as of the same instant, and the
   * versions of a page are read once.
   *
   * @throws - as {@link verify}; `details.field` begins with the place of the quote, such as `quotes[3].quote`.
   */
  verifyAll(quotes: readonly QuoteToVerify[]): Promise<QuoteVerdict[]>
  /**
   * Exports the observations of all pages in slices, URL by URL, oldest first. The field `observed` of an observation says its kind.
   * Captures and revisions have content; sightings, removals and aliases have none. Aliases of URLs without a page are exported too. If all
   * slices are added to another engine, its answers are the same as of every instant, except that its receipts count everything as declared.
   * The relevance of the index is not exported. An observation that is added between two slices may be missing. An observation that was
   * purged is missing.
   *
   * @throws ASOF_INVALID_OPTION - an option is unknown, has the wrong type or is out of range, or `cursor` is not the `next` of a slice.
   */
  export(options?: ExportOptions): Promise<ExportSlice>
  /**
   * Yields the observations of all pages: those of all slices of {@link export}, so that `copy.add(engine.exportAll())` copies an index.
   * It reads a slice when the one before was yielded.
   */
  exportAll(): AsyncIterable<Observation>
  /** Returns how large the index is. A figure that an engine does not know is undefined. */
  stats(): Promise<EngineStats>
  /**
   * Counts captures by the time at which they were acquired, in the finest interval of the calendar that needs at most `maxBins` bins.
   * Reads no captures.
   *
   * @param options.maxBins - 10 to 2,000. Default 400.
   * @returns the bins with captures; none if the index is empty.
   * @throws ASOF_INVALID_OPTION - an option is unknown, has the wrong type or is out of range.
   */
  captureHistogram(options?: { maxBins?: number }): Promise<CaptureHistogram>
  /**
   * Lists the fields of the pages that are current at `queryTime` (default now), by name. The answer is kept until the index changes.
   *
   * @returns an empty list if no page has a field.
   * @throws ASOF_INVALID_OPTION - an option is unknown, has the wrong type or is out of range.
   * @throws ASOF_INVALID_TIME - `queryTime` is in no known format, or more than 60 s in the future.
   * @throws ASOF_SEARCH_FAILED, ASOF_SEARCH_TIMEOUT - as `search` does.
   */
  fields(options?: FieldsOptions): Promise<FieldAsOf[]>
  /**
   * Returns the reads of this engine with a clock that always shows `at`: every answer is the one that an engine without any later
   * observation would give. An instant after `at` is rejected as one in the future, and the error does not show the real time. Only changes
   * of all of time are visible: purges and retention, which the receipt of an answer counts (`purged`, `dropped`). `stats` leaves out the
   * figures of the folder. The returned reads work until the engine is closed. If a program without types calls a method that writes, the
   * call fails with ASOF_SEALED.
   *
   * @param at - an instant that is not in the future.
   * @throws ASOF_INVALID_TIME - `at` is no instant, or in the future.
   * @throws ASOF_CLOSED
   */
  sealed(at: TimeInput): Reads
}

/**
 * The interface of the engine. Transports and the crawler use only this interface, so another implementation, such as one on several
 * machines, can replace the local engine. `asof/testing` exports tests that every implementation must pass.
 */
export interface Engine extends Reads, AsyncDisposable {
  /**
   * Adds captures, and declares removals, sightings and aliases. Resolves when all are durable and searchable. Captures
   * that are reported as added survive `kill -9`. Invalid observations, such as one with an unknown field, are reported
   * in `failures`; the others are added. A document without an address has an `id` in place of a `url`.
   *
   * The order of observations makes no difference, except for two of one URL and millisecond: the later one to arrive
   * replaces the other.
   *
   * @throws ASOF_INVALID_CAPTURE - `observations` is not iterable; put a single capture into a list.
   * @throws ASOF_INVALID_OPTION - an option is unknown or has another value.
   * @throws ASOF_STORE_WRITE - a commit failed, such as on a full disk. Nothing of that commit was kept.
   * @throws ASOF_CLOSED
   */
  add(
    observations: Iterable<ObservationInput | DocumentInput> | AsyncIterable<ObservationInput | DocumentInput>,
    options?: AddOptions,
  ): Promise<AddReport>
  /**
   * Sets the relevance of the index: how later searches rank pages. It replaces the current one as a whole; `{}` sets none. Searches as
   * of an earlier instant use the relevance that held then, so their answers do not change. Resolves when it is durable. Setting
   * the current relevance again does nothing.
   *
   * @returns the instant from which it holds, epoch milliseconds.
   * @throws ASOF_INVALID_OPTION - a part is unknown, has the wrong type or is out of range; `details.field` is its path,
   *   such as `synonyms[3].also[0]`. Or the relevance was set 10,000 times.
   * @throws ASOF_STORE_WRITE - it was not set.
   */
  setRelevance(relevance: Relevance): Promise<number>
  /**
   * Records that a page was found unchanged now, such as after a 304, by updating its `lastSeenAt`. Returns true if the
   * index has the page.
   *
   * @throws ASOF_INVALID_URL
   */
  markSeen(url: string): Promise<boolean>
  /**
   * Removes a page from now on. Answers as of the past still have it. Returns true if there was a page. The removal
   * also ends captures that are declared later with an earlier instant.
   *
   * With `at`, the removal is declared history: the page is gone from that instant until its next capture, in whatever
   * order they are added. Aliases are then not followed.
   *
   * @throws ASOF_INVALID_URL
   * @throws ASOF_INVALID_TIME - `at` is no instant, or in the future.
   * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
   */
  remove(url: string, options?: RemoveOptions): Promise<boolean>
  /**
   * Deletes a page from all of time. Its content is deleted at once. Its postings leave the disk within minutes or when
   * the engine is closed, but in a large segment later. Returns the number of purged captures.
   *
   * @throws ASOF_INVALID_URL
   */
  purge(url: string): Promise<number>
  /**
   * Removes the pages of a selection as {@link remove} does: each from now on, or from the instant `at` on. Pages are removed
   * round by round, each round in one commit. If the process ends meanwhile, the same call removes the rest. Without `at` a page
   * that is added while the call runs may be removed or not.
   *
   * @throws ASOF_INVALID_OPTION - an option or a part of the selection is wrong, or the selection or a part of its filter is empty or
   *   most likely selects more than the caller means. `details.field` is the path of the part, and `details.nearest` is the field that
   *   was probably meant.
   * @throws ASOF_INVALID_URL - `prefix` is not the beginning of a URL.
   * @throws ASOF_INVALID_TIME - `at` is no instant, or in the future.
   * @throws ASOF_STORE_WRITE - a commit failed. The rounds before it are kept.
   */
  removeAll(selection: PageSelection, options?: BulkOptions): Promise<BulkReport>
  /**
   * Deletes the pages of a selection from all of time, as {@link purge} does, round by round like {@link removeAll}. With a filter or `at`,
   * the selection has the pages that the index has now, or had at `at`. With neither, it has every URL that the index ever had: also
   * URLs whose page was removed, and URLs of which the index knows only aliases. The whole history of a selected URL is always deleted. Aliases
   * from selected URLs to other pages are kept.
   *
   * @throws - as {@link removeAll}; also ASOF_INVALID_OPTION if `at` is given with a list of URLs.
   */
  purgeAll(selection: PageSelection, options?: BulkOptions): Promise<BulkReport>
  /**
   * Computes missing vectors: of captures from before the embeddings model was in use, of captures that were added with `vectors: 'later'`,
   * and of captures for which the model failed. Reads and writes continue. After a failure, the vectors computed so far are kept, and the next
   * call continues from there.
   *
   * @throws ASOF_INVALID_OPTION - the engine was opened without an embeddings model, or an option is unknown.
   * @throws ASOF_MODEL_FAILED - the model failed, or did not answer in 60 s.
   * @throws ASOF_STORE_WRITE - vectors could not be written.
   * @throws ASOF_CLOSED
   */
  embed(options?: EmbedOptions): Promise<EmbedReport>
  /**
   * Copies the index to a new data folder. The copy has the state at the beginning of the backup and can be opened like
   * any index. Reads and writes continue.
   *
   * @param dir - must be empty or not exist, and must not be inside the data folder, not even by a link. Until the
   *   backup is complete, its name is `<dir>.partial`.
   * @throws ASOF_INVALID_OPTION - an option is unknown or has the wrong type.
   * @throws ASOF_BACKUP_TARGET - `dir` is not empty, is in the data folder, or cannot be created.
   * @throws ASOF_STORE_CORRUPT - the index is damaged.
   * @throws ASOF_STORE_READ - the index could not be read, or the copy could not be written, such as on a full disk.
   * @throws ASOF_CLOSED - the engine was closed, or the signal aborted the backup.
   */
  backup(dir: string, options?: BackupOptions): Promise<BackupReport>
  /** Waits for the running commit and lets a merge stop safely, then releases the folder. May be called again. */
  close(): Promise<void>
  /** Closes the engine, as {@link close} does, at the end of a block with `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
