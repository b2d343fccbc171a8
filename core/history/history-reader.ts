import { resolveTimes } from '../dates/resolve-times.ts'
import { invalidOption } from '../options.ts'
import type { Page, TimeInput } from '../page.ts'
import type { Snapshot, SnapshotReads } from '../store/snapshots/snapshots.ts'
import type { ReadableStore } from '../store/store.ts'
import { normalizeUrl } from '../url.ts'
import { currentCapture } from './current-capture.ts'
import {
  type ExportOptions,
  type ExportPart,
  type ExportRange,
  exportPart,
  readExportCursor,
} from './history-export.ts'
import type { HistoryOptions, HistoryPart, PageOptions, Timeline } from './page-version.ts'
import { historyPart, storedTimeline } from './page-versions.ts'
import { versionPage } from './version-page.ts'

/** Maximum number of versions, or of exported observations, in one part. */
const MAX_VERSIONS = 1000
const DEFAULT_VERSIONS = 100

/** Reads the history of one URL or of all URLs, for the methods of `Engine` with the same names. */
export class HistoryReader {
  readonly #store: ReadableStore
  readonly #reads: SnapshotReads

  constructor(store: ReadableStore, reads: SnapshotReads) {
    this.#store = store
    this.#reads = reads
  }

  async page(url: string, options: PageOptions): Promise<Page | undefined> {
    const { queryTime, supersededAt: isAsked = false, markdownMaxLength = Number.POSITIVE_INFINITY } = options
    if (!(markdownMaxLength >= 0)) throw invalidOption('markdownMaxLength', 'must be a number from 0')
    return this.#read(url, queryTime, (normal, snapshot, isPast) => {
      const current = currentCapture(normal, snapshot)
      if (!current) return undefined
      const page = versionPage(current, snapshot, markdownMaxLength)
      // Only a page as of the past can be superseded. As of now, the next version would be one whose commit is not
      // visible yet.
      if (!isAsked || !isPast) return page
      const { supersededAt } = current
      const isKnown = supersededAt !== undefined && supersededAt <= this.#reads.sealedAt
      return isKnown ? { ...page, supersededAt } : page
    })
  }

  async history(url: string, { queryTime, after, maxResults }: HistoryOptions): Promise<HistoryPart> {
    const versions = readMaxResults(maxResults)
    return this.#read(url, queryTime, (normal, snapshot) =>
      historyPart(normal, { after, maxResults: versions }, snapshot),
    )
  }

  async timeline(url: string): Promise<Timeline | undefined> {
    return this.#read(url, undefined, storedTimeline)
  }

  async export(options: ExportOptions): Promise<ExportPart> {
    const range = readExportRange(options)
    return this.#reads.readNow(snapshot => exportPart(this.#store, range, snapshot))
  }

  async #read<T>(
    url: string,
    queryTime: TimeInput | undefined,
    work: (normal: string, snapshot: Snapshot, isPast: boolean) => T,
  ): Promise<T> {
    const normal = normalizeUrl(url)
    return this.#reads.read(
      requestAt => resolveTimes({ queryTime }, requestAt),
      ({ instant }, snapshot) => work(normal, snapshot, instant !== undefined),
    )
  }
}

/** @throws ASOF_INVALID_OPTION */
export function readExportRange({ after, maxResults }: ExportOptions): ExportRange {
  const observations = readMaxResults(maxResults)
  return { after: after === undefined ? undefined : readExportCursor(after), maxResults: observations }
}

function readMaxResults(maxResults = DEFAULT_VERSIONS): number {
  if (!Number.isInteger(maxResults) || maxResults < 1 || maxResults > MAX_VERSIONS)
    throw invalidOption('maxResults', 'must be a whole number from 1 to 1,000')
  return maxResults
}
