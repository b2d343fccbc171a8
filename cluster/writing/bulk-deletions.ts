import {
  type BulkIndex,
  type CommitQueue,
  type Conditions,
  captureAt,
  decodeUrlRecord,
  loadPages,
  PartialIndex,
  rangesOf,
  type SelectedPages,
  type SelectedRange,
  type Snapshot,
  selectPages,
  urlOfClaim,
  urlOfKey,
} from '@asof/core/internal'
import type { ClusterParts } from '../cluster-parts.ts'
import { clockIn, type Reading } from '../database.ts'
import type { Moments } from '../moments.ts'
import { unsupported } from '../not-answered.ts'
import { fieldsUpTo } from '../stored/field-holders.ts'

/** Number of URLs whose histories are read at a time to select pages by conditions. */
const URLS_AT_ONCE = 256
/** Number of claims that are read for them. */
const CLAIMS_AT_ONCE = 1_024

const noCaptures: ReadonlySet<number> = new Set()

/** The index of a cluster, for bulk deletions. */
export function clusterIndex({ database, writer }: ClusterParts, moments: Moments, commits: CommitQueue): BulkIndex {
  const momentAt = async (at: number | undefined): Promise<number> =>
    (await moments.moment(at, await moments.request())).instant
  return {
    currentInstant: async () => (await moments.request()).requestAt,
    fieldNames: async at => {
      const instant = await momentAt(at)
      return database.reading(async tx => [...(await fieldsUpTo(tx, instant)).keys()].sort())
    },
    select: async (conditions, range, at) => {
      const instant = await momentAt(at)
      return database.reading(tx => selectIn({ tx, database }, conditions, range, instant))
    },
    read: async (urls, at, work) => {
      const instant = await momentAt(at)
      return database.reading(async tx => work(await historiesOf({ tx, database }, urls, instant)))
    },
    latest: (urls, work) =>
      database.reading(async tx => work(await historiesOf({ tx, database }, urls, Number.POSITIVE_INFINITY))),
    enter: entries => commits.submit(entries, 0),
    purge: urls => writer.purgeUrls(urls),
  }
}

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
