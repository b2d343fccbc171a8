import {
  type BulkIndex,
  type CommitQueue,
  type Conditions,
  captureAt,
  type Deleted,
  decodeUrlRecord,
  loadPages,
  type Outcome,
  PartialIndex,
  type PlainEntry,
  rangesOf,
  type SelectedPages,
  type SelectedRange,
  type Snapshot,
  selectPages,
  urlOfClaim,
  urlOfKey,
} from '@asof/core/internal'
import { unsupported } from '../not-answered.ts'
import { nameServerFailures } from '../server-failures.ts'
import { clockIn, type Database, type Reading } from '../stored/database.ts'
import { fieldsUpTo } from '../stored/field-holders.ts'
import type { Moments } from '../stored/moments.ts'
import type { ClusterWriter } from './cluster-writer.ts'

/** Number of URLs whose histories are read at a time to select pages by conditions. */
const URLS_AT_ONCE = 256
/** Number of claims that are read for them. */
const CLAIMS_AT_ONCE = 1_024

const noCaptures: ReadonlySet<number> = new Set()

interface DeletionParts {
  database: Database
  writer: ClusterWriter
}

/** The index of a cluster, for bulk deletions. */
export class ClusterDeletions implements BulkIndex {
  readonly #parts: DeletionParts
  readonly #moments: Moments
  readonly #commits: CommitQueue

  constructor(parts: DeletionParts, moments: Moments, commits: CommitQueue) {
    this.#parts = parts
    this.#moments = moments
    this.#commits = commits
  }

  async currentInstant(): Promise<number> {
    return (await this.#moments.request()).requestAt
  }

  async fieldNames(at: number | undefined): Promise<string[]> {
    const instant = await this.#momentAt(at)
    return this.#parts.database.reading(async tx => [...(await fieldsUpTo(tx, instant)).keys()].sort())
  }

  async select(conditions: Conditions, range: SelectedRange, at: number | undefined): Promise<SelectedPages> {
    const { database } = this.#parts
    const instant = await this.#momentAt(at)
    return database.reading(tx => selectIn({ tx, database }, conditions, range, instant))
  }

  async read<T>(urls: readonly string[], at: number | undefined, work: (snapshot: Snapshot) => T): Promise<T> {
    return this.#readAt(await this.#momentAt(at), urls, work)
  }

  latest<T>(urls: readonly string[], work: (snapshot: Snapshot) => T): Promise<T> {
    return this.#readAt(Number.POSITIVE_INFINITY, urls, work)
  }

  enter(entries: readonly PlainEntry[]): Promise<readonly (Outcome | undefined)[]> {
    return this.#commits.submit(entries, 0)
  }

  purge(urls: readonly string[]): Promise<Deleted> {
    return this.#parts.writer.purgeUrls(urls)
  }

  #readAt<T>(instant: number, urls: readonly string[], work: (snapshot: Snapshot) => T): Promise<T> {
    const { database } = this.#parts
    return database.reading(async tx => work(await historiesOf({ tx, database }, urls, instant)))
  }

  async #momentAt(at: number | undefined): Promise<number> {
    return (await this.#moments.moment(at, await this.#moments.request())).instant
  }
}

nameServerFailures(ClusterDeletions)

/** Brings the histories of URLs, and of what they are aliases of, into memory, without contents. */
async function historiesOf({ tx, database }: Reading, urls: readonly string[], instant: number): Promise<Snapshot> {
  const part = new PartialIndex(await clockIn(tx))
  await loadPages(part, urls, database.pages(tx), { captureIds: noCaptures })
  return part.snapshot(instant)
}

/** Selects among the next URLs. The end of what is read may be before the end that the caller allows. */
async function selectIn(
  { tx, database }: Reading,
  conditions: Conditions,
  { after, isOfAllTime }: SelectedRange,
  instant: number,
): Promise<SelectedPages> {
  const pages = database.pages(tx)
  const part = new PartialIndex(await clockIn(tx))
  const ranges = rangesOf(conditions.prefix, after)
  const records = await pages.firstOf(ranges.records, URLS_AT_ONCE)
  const claims = isOfAllTime && !conditions.filter ? await pages.firstOf(ranges.claims, CLAIMS_AT_ONCE) : []
  // Of the last URL with a claim more claims may follow. One is enough to select it.
  const ends = [
    ...(records.length < URLS_AT_ONCE ? [] : [Buffer.from(urlOfKey(records.at(-1)![0]))]),
    ...(claims.length < CLAIMS_AT_ONCE ? [] : [Buffer.from(urlOfClaim(claims.at(-1)![0]))]),
  ]
  const end = ends.sort(Buffer.compare)[0]
  const isRead = (url: Uint8Array): boolean => !end || Buffer.compare(url, end) <= 0
  const read = records.filter(([key]) => isRead(key.subarray(1)))
  const rows = [...read, ...claims.filter(([key]) => isRead(urlOfClaim(key)))]
  part.store.apply(rows.map(([key, value]) => ({ type: 'put', key, value })))
  if (conditions.filter)
    await loadPages(
      part,
      read.map(([key]) => urlOfKey(key)),
      pages,
      {
        captureIds: new Set(read.flatMap(([, record]) => captureAt(decodeUrlRecord(record), instant)?.captureId ?? [])),
        followsAliases: false,
      },
    )
  const types = conditions.filter ? await fieldsUpTo(tx, instant) : new Map()
  const all = { after, atMost: Number.POSITIVE_INFINITY, mostRead: Number.POSITIVE_INFINITY, isOfAllTime }
  const selected = await selectPages(part.store, conditions, all, part.snapshot(instant), {
    fieldType: name => types.get(name),
    fieldNames: () => [...types.keys()].sort(),
    valuesOf: () => {
      throw unsupported('many ranges and prefixes', 'a cluster does not support many ranges and prefixes in one filter')
    },
  })
  return end ? { ...selected, next: end.toString() } : selected
}
