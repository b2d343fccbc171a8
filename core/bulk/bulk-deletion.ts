import type { BulkOptions, BulkReport, PageSelection } from '../engine.ts'
import { isAsofError } from '../errors.ts'
import { currentCapture, ownCapture, visibleRecord } from '../history/current-capture.ts'
import type { HistoryReader } from '../history/history-reader.ts'
import { versionsIn } from '../history/tombstones.ts'
import type { CommitQueue } from '../ingest/commit-queue.ts'
import type { PlainEntry } from '../ingest/entry.ts'
import type { IndexWriter } from '../ingest/index-writer.ts'
import { declaredInstant } from '../ingest/prepared-capture.ts'
import type { Snapshot, Snapshots } from '../store/snapshots/snapshots.ts'
import type { Store } from '../store/store.ts'
import { normalizeUrl } from '../url.ts'
import { type ParsedSelection, parseSelection, selectPages } from './page-selection.ts'

/** Number of pages that one commit removes or purges. Reads wait for a purge, so a batch is small. */
const BATCH_PAGES = 256
/** Number of URLs that are read at a time. A purge waits for reads, so that they must not be long. */
const BATCH_READ = 4_096
/** Maximum number of failures that a report lists. */
const MAX_FAILURES = 100

/** The parts of the engine that bulk deletions use. */
export interface BulkParts {
  store: Store
  snapshots: Snapshots
  history: HistoryReader
  writer: IndexWriter
  commits: CommitQueue
}

/** What is done with the pages of a batch. */
interface Deletion {
  /** True if URLs whose page is gone are selected too. */
  isOfAllTime: boolean
  /** Deletes pages in one commit. Returns the number of pages and captures deleted. */
  run: (urls: readonly string[]) => Promise<{ pages: number; captures: number }>
  /** True if the captures of the pages are deleted. */
  purges: boolean
  /** Returns the number of pages and captures that `run` would delete for one URL of a list. */
  count: (url: string, snapshot: Snapshot) => { pages: number; captures: number }
}

/** Removes pages from now on, or from an instant of the past on: see `Engine.removeAll`. */
export async function removeAll(parts: BulkParts, selection: PageSelection, options: BulkOptions): Promise<BulkReport> {
  const { history, commits, snapshots } = parts
  const at = options.at === undefined ? undefined : declaredInstant(options.at, 'at', snapshots.currentInstant())
  return deleteAll(parts, parseSelection(selection), at, options, {
    isOfAllTime: false,
    purges: false,
    run: async urls => {
      const names = at === undefined ? await Promise.all(urls.map(url => history.pageUrl(url))) : urls
      const entries = names.map((url): PlainEntry => ({ kind: 'removal', url, ...(at !== undefined && { at }) }))
      const outcomes = await commits.submit(entries, 0)
      return { pages: outcomes.filter(outcome => outcome === 'removed').length, captures: 0 }
    },
    count: (url, snapshot) => {
      const current = at === undefined ? currentCapture(url, snapshot) : ownCapture(url, snapshot)
      return { pages: current ? 1 : 0, captures: 0 }
    },
  })
}

/** Deletes pages from all of time: see `Engine.purgeAll`. */
export async function purgeAll(parts: BulkParts, selection: PageSelection, options: BulkOptions): Promise<BulkReport> {
  const { history, writer, snapshots } = parts
  const at = options.at === undefined ? undefined : declaredInstant(options.at, 'at', snapshots.currentInstant())
  const parsed = parseSelection(selection)
  const isList = 'urls' in parsed
  return deleteAll(parts, parsed, at, options, {
    isOfAllTime: at === undefined,
    purges: true,
    run: async urls => {
      const names = isList ? (await Promise.all(urls.map(url => history.purgedUrls(url)))).flat() : urls
      return writer.purge([...new Set(names)])
    },
    count: (url, snapshot) => {
      const { captures } = versionsIn(visibleRecord(url, snapshot))
      return { pages: captures.length > 0 ? 1 : 0, captures: captures.length }
    },
  })
}

async function deleteAll(
  parts: BulkParts,
  selection: ParsedSelection,
  at: number | undefined,
  options: BulkOptions,
  deletion: Deletion,
): Promise<BulkReport> {
  const { signal, onProgress, dryRun = false } = options
  const report: BulkReport = { pages: 0, captures: 0, failed: 0, failures: [], finished: true }
  const add = ({ pages, captures }: { pages: number; captures: number }): void => {
    report.pages += pages
    report.captures += captures
    onProgress?.({ ...report })
  }
  for await (const batch of batchesOf(parts, selection, at, deletion.isOfAllTime, report)) {
    if (signal?.aborted) return { ...report, finished: false }
    if (batch.length === 0) continue
    if (!dryRun) add(await deletion.run(batch.map(({ url }) => url)))
    else if ('urls' in selection)
      await readAt(parts, at, snapshot => {
        for (const { url } of batch) add(deletion.count(url, snapshot))
      })
    else
      add({
        pages: batch.length,
        captures: deletion.purges ? batch.reduce((sum, { captures }) => sum + captures, 0) : 0,
      })
  }
  return report
}

interface SelectedUrl {
  url: string
  captures: number
}

/** Yields the selected pages, one commit at a time. Memory holds one batch. */
async function* batchesOf(
  parts: BulkParts,
  selection: ParsedSelection,
  at: number | undefined,
  isOfAllTime: boolean,
  report: BulkReport,
): AsyncGenerator<SelectedUrl[]> {
  if ('urls' in selection) {
    yield* batchesOfList(selection.urls, report)
    return
  }
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const range = { after, atMost: BATCH_PAGES, mostRead: BATCH_READ, isOfAllTime }
    const { pages, next } = await readAt(parts, at, snapshot => selectPages(parts.store, selection, range, snapshot))
    yield pages
    after = next
  }
}

async function* batchesOfList(
  urls: Iterable<string> | AsyncIterable<string>,
  report: BulkReport,
): AsyncGenerator<SelectedUrl[]> {
  let batch: SelectedUrl[] = []
  for await (const url of urls) {
    try {
      batch.push({ url: normalizeUrl(url), captures: 0 })
    } catch (error) {
      if (!isAsofError(error, 'ASOF_INVALID_URL')) throw error
      report.failed++
      if (report.failures.length < MAX_FAILURES) report.failures.push({ url: String(url), message: error.message })
      continue
    }
    if (batch.length < BATCH_PAGES) continue
    yield batch
    batch = []
  }
  yield batch
}

function readAt<T>(
  { snapshots }: BulkParts,
  instant: number | undefined,
  work: (snapshot: Snapshot) => T | Promise<T>,
): Promise<T> {
  return snapshots.read(
    () => ({ instant }),
    (_, snapshot) => work(snapshot),
  )
}
