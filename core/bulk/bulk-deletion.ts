import { failureOf, invalidOption, isAsofError } from '@asof/extract/errors'
import { aliasTarget, ownCapture, visibleRecord } from '../history/current-capture.ts'
import { versionsIn } from '../history/tombstones.ts'
import type { PlainEntry } from '../ingest/entry.ts'
import { declaredInstant } from '../ingest/prepared-capture.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { normalizeUrl } from '../url.ts'
import { type BulkIndex, type Deleted, selectedPages } from './bulk-index.ts'
import type { BulkOptions, BulkReport } from './bulk-report.ts'
import { refuseCarelessFilter } from './careless-filter.ts'
import { type PageSelection, type ParsedSelection, parseSelection } from './page-selection.ts'

/** Number of pages that one commit removes or purges. Reads wait for a purge, so a round is small. */
const ROUND_PAGES = 256
/** Maximum number of failures that a report lists. */
const MAX_FAILURES = 100

/** The steps in which a removal and a purge of the pages of a round differ. */
interface Deletion {
  /** True if URLs whose page is gone are selected too. */
  isOfAllTime: boolean
  /** Returns the URLs whose pages are deleted for the selected URLs: aliases are followed. */
  resolve: (urls: readonly string[]) => Promise<readonly string[]>
  /** Deletes pages of resolved URLs in one commit. Returns the number of pages and captures deleted. */
  run: (urls: readonly string[]) => Promise<Deleted>
  /** True for a purge, which deletes captures; false for a removal. */
  purges: boolean
  /** Returns the number of pages and captures that `run` would delete for one resolved URL. */
  count: (url: string, snapshot: Snapshot) => Deleted
}

/** Removes pages from now on, or from an instant of the past on: see `Engine.removeAll`. */
export async function removeAll(index: BulkIndex, selection: PageSelection, options: BulkOptions): Promise<BulkReport> {
  const at = options.at === undefined ? undefined : declaredInstant(options.at, 'at', await index.currentInstant())
  const named = new NamedPages((url, snapshot) => ownCapture(url, snapshot) !== undefined)
  return deleteAll(index, parseSelection(selection), at, options, {
    isOfAllTime: false,
    purges: false,
    resolve: async urls => {
      if (at !== undefined) return urls
      return index.latest(urls, latest => urls.map(url => named.aliasTarget(url, latest) ?? url))
    },
    run: async urls => {
      const entries = urls.map((url): PlainEntry => ({ kind: 'removal', url, at }))
      const outcomes = await index.enter(entries)
      return { pages: outcomes.filter(outcome => outcome === 'removed').length, captures: 0 }
    },
    count: (url, snapshot) => ({ pages: ownCapture(url, snapshot) ? 1 : 0, captures: 0 }),
  })
}

/** Deletes pages from all of time: see `Engine.purgeAll`. */
export async function purgeAll(index: BulkIndex, selection: PageSelection, options: BulkOptions): Promise<BulkReport> {
  const at = options.at === undefined ? undefined : declaredInstant(options.at, 'at', await index.currentInstant())
  const parsed = parseSelection(selection)
  const isList = 'urls' in parsed
  if (isList && at !== undefined)
    throw invalidOption('at', 'cannot be combined with urls, because a purge deletes their pages from all of time')
  const named = new NamedPages((url, snapshot) => visibleRecord(url, snapshot).some(({ kind }) => kind === 'capture'))
  return deleteAll(index, parsed, at, options, {
    isOfAllTime: at === undefined,
    purges: true,
    resolve: async urls => {
      if (!isList) return urls
      return index.latest(urls, latest => urls.flatMap(url => [url, named.aliasTarget(url, latest) ?? []].flat()))
    },
    run: urls => index.purge([...new Set(urls)]),
    count: (url, snapshot) => {
      const { captures } = versionsIn(visibleRecord(url, snapshot))
      return { pages: captures.length > 0 ? 1 : 0, captures: captures.length }
    },
  })
}

/** Resolves the URLs of a list to pages. A URL names its own page or, if it has none, the page that it is an alias of. */
class NamedPages {
  readonly #hasPage: (url: string, snapshot: Snapshot) => boolean
  /**
   * Aliases that had a page of their own when the list first named them. If the list names one again, its own page is deleted already, and
   * the page that it is an alias of must not be deleted in its place.
   */
  readonly #owners = new Set<string>()

  constructor(hasPage: (url: string, snapshot: Snapshot) => boolean) {
    this.#hasPage = hasPage
  }

  /** Returns the page that a URL is an alias of, unless the URL has or had a page of its own. */
  aliasTarget(url: string, snapshot: Snapshot): string | undefined {
    const target = aliasTarget(url, snapshot)
    if (target === undefined || this.#owners.has(url)) return undefined
    if (!this.#hasPage(url, snapshot)) return target
    this.#owners.add(url)
    return undefined
  }
}

async function deleteAll(
  index: BulkIndex,
  selection: ParsedSelection,
  at: number | undefined,
  options: BulkOptions,
  deletion: Deletion,
): Promise<BulkReport> {
  const { signal, onProgress, dryRun = false } = options
  // Checked before the first round, because rounds may delete the last page with a field.
  await refuseCarelessFilter(index, selection, at)
  const report: BulkReport = { pages: 0, captures: 0, failed: 0, failures: [], finished: true }
  const add = ({ pages, captures }: Deleted): void => {
    report.pages += pages
    report.captures += captures
    onProgress?.({ ...report })
  }
  // The pages that a dry run has counted so far. A list of URLs may name a page several times.
  const counted = new Set<string>()
  for await (const round of roundsOf(index, selection, at, deletion.isOfAllTime, report)) {
    if (signal?.aborted) return { ...report, finished: false }
    if (round.length === 0) continue
    const urls = round.map(({ url }) => url)
    if (!dryRun) add(await deletion.run(await deletion.resolve(urls)))
    else if ('urls' in selection) {
      const pages = await deletion.resolve(urls)
      add(await index.read(pages, at, snapshot => countOf(pages, url => deletion.count(url, snapshot), counted)))
    } else {
      // A URL for which only a removal was declared has no captures, and does not count as a page.
      const pages = round.filter(({ captures }) => captures > 0)
      const captures = deletion.purges ? pages.reduce((sum, { captures }) => sum + captures, 0) : 0
      add({ pages: pages.length, captures })
    }
  }
  return report
}

/** Returns the sum of the counts of URLs that were not counted before. */
function countOf(urls: readonly string[], count: (url: string) => Deleted, counted: Set<string>): Deleted {
  const total: Deleted = { pages: 0, captures: 0 }
  for (const url of urls) {
    if (counted.has(url)) continue
    const { pages, captures } = count(url)
    if (pages > 0) counted.add(url)
    total.pages += pages
    total.captures += captures
  }
  return total
}

interface SelectedUrl {
  url: string
  captures: number
}

/** Yields the selected pages, one commit at a time. Memory holds one round. */
async function* roundsOf(
  index: BulkIndex,
  selection: ParsedSelection,
  at: number | undefined,
  isOfAllTime: boolean,
  report: BulkReport,
): AsyncGenerator<SelectedUrl[]> {
  if ('urls' in selection) {
    yield* roundsOfList(selection.urls, report)
    return
  }
  yield* selectedPages(index, selection, { atMost: ROUND_PAGES, isOfAllTime }, at)
}

async function* roundsOfList(
  urls: Iterable<string> | AsyncIterable<string>,
  report: BulkReport,
): AsyncGenerator<SelectedUrl[]> {
  let round: SelectedUrl[] = []
  for await (const url of urls) {
    try {
      round.push({ url: normalizeUrl(url), captures: 0 })
    } catch (error) {
      if (!isAsofError(error, 'ASOF_INVALID_URL')) throw error
      report.failed++
      if (report.failures.length < MAX_FAILURES) report.failures.push(failureOf(String(url), error))
      continue
    }
    if (round.length < ROUND_PAGES) continue
    yield round
    round = []
  }
  yield round
}
