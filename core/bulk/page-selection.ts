import { invalidOption, isPlainObject, optionsReader, shown } from '@asof/extract/errors'
import { deltaOrigin } from '../dates/resolve-times.ts'
import { type FieldFilter, type ParsedFilter, parseFilter } from '../fields/field-filter.ts'
import { captureAt } from '../history/current-capture.ts'
import { KnownUrls, type RangeStore, type UrlRanges } from '../history/known-urls.ts'
import { versionsIn } from '../history/tombstones.ts'
import { hasBit } from '../postings/ordinal-bits.ts'
import { viewsAt } from '../postings/segment-view.ts'
import type { IndexFields } from '../search/collection/collection.ts'
import { fieldBits } from '../search/fields/field-bits.ts'
import { FiltersAsOf } from '../search/fields/filter-as-of.ts'
import { KnownFields } from '../search/fields/known-fields.ts'
import { allClaims, allUrls, claimPrefix, claimsOf, type KeyRange, urlKey } from '../store/keys.ts'
import { decodeUrlRecord, type UrlRecord } from '../store/records/url-record.ts'
import { locateCapture } from '../store/snapshots/catalog.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { hostOf, normalizePrefix, parseSite } from '../url.ts'
import { refuseEmptyParts, refusePublicSuffix, refuseRoot } from './careless-selection.ts'

/**
 * The pages of a bulk removal or purge: those at a list of URLs, those that fulfill all of the other conditions, or all pages. A
 * selection is rejected if it most likely selects more than the caller means.
 */
export interface PageSelection {
  /** A list of URLs. It cannot be combined with other conditions. It is read once, one round at a time. */
  urls?: Iterable<string> | AsyncIterable<string>
  /** A domain. Its subdomains match too. It must not be a public suffix, such as `com`, `co.uk` or `github.io`. */
  site?: string
  /**
   * The beginning of the URLs of pages, such as `https://example.com/old/`. It is normalized like a URL. A prefix that would lose a part by
   * that, such as a tracking parameter, is rejected.
   */
  prefix?: string
  /**
   * Conditions on the fields of pages. Some page must have each of the fields, as of the instant; no condition may be `undefined`
   * or an empty prefix or bound; and a filter with `not` or `exists: false` must leave a page of the site and prefix.
   */
  filter?: FieldFilter
  /** Every page. It cannot be combined with other conditions. */
  all?: true
}

/** Conditions on pages that have been checked. Without any condition they select everything. */
export interface Conditions {
  site: string | undefined
  prefix: string | undefined
  filter: ParsedFilter | undefined
}

/** A selection that has been checked: a list of URLs, or conditions on pages. */
export type ParsedSelection = { urls: Iterable<string> | AsyncIterable<string> } | Conditions

const readConditions = optionsReader<Omit<PageSelection, 'urls'>>({
  site: 'string',
  prefix: 'string',
  filter: 'object',
  all: 'boolean',
})

function isIterable(value: unknown): value is Iterable<string> | AsyncIterable<string> {
  return typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
}

/**
 * Checks a selection without the index. `refuseCarelessFilter` checks a filter against the index.
 *
 * @throws ASOF_INVALID_OPTION, ASOF_INVALID_URL
 */
export function parseSelection(given: PageSelection): ParsedSelection {
  if (!isPlainObject(given)) throw invalidOption('selection', `must be a plain object, not ${shown(given)}`)
  const { urls, ...others } = given
  expectNoNull(others)
  const { site, prefix, filter, all } = readConditions(others)
  const conditions = [site, prefix, filter].filter(condition => condition !== undefined)
  if (urls !== undefined) {
    if (conditions.length > 0 || all !== undefined)
      throw invalidOption('urls', 'cannot be combined with site, prefix, filter or all')
    if (!isIterable(urls)) throw invalidOption('urls', `must be a list or another iterable, not ${shown(urls)}`)
    return { urls }
  }
  if (all) {
    if (conditions.length > 0) throw invalidOption('all', 'cannot be combined with site, prefix or filter')
  } else if (all === false) throw invalidOption('all', 'is false; it can only be true, or left out')
  // Without a condition the whole index would be selected, most likely by mistake.
  else if (conditions.length === 0)
    throw invalidOption('selection', 'must have urls, at least one of site, prefix and filter, or all: true')
  return {
    site: site === undefined ? undefined : siteOf(site),
    prefix: prefix === undefined ? undefined : prefixOf(prefix),
    filter: filter && parseConditions(filter),
  }
}

/** Rejects null. Elsewhere null means that an option is absent, but without a condition the selection would have more pages. */
function expectNoNull(conditions: object): void {
  for (const [name, value] of Object.entries(conditions))
    if (value === null) throw invalidOption(name, 'is null; leave the condition out if the selection has none')
}

function siteOf(given: string): string {
  const site = parseSite(given)
  refusePublicSuffix(site)
  return site
}

function prefixOf(given: string): string {
  if (given === '') throw invalidOption('prefix', 'is empty; it must be the beginning of URLs')
  const prefix = normalizePrefix(given)
  refuseRoot(prefix)
  return prefix
}

function parseConditions(given: FieldFilter): ParsedFilter {
  const filter = parseFilter(given)
  refuseEmptyParts(given, filter)
  return filter
}

/** The part of a selection that is read at a time. */
export interface SelectedRange {
  /** The last URL of the part before. Undefined to read from the first URL on. */
  after: string | undefined
  /** Maximum number of pages in the part. */
  atMost: number
  /** Approximate maximum number of keys that are read. */
  mostRead: number
  /**
   * True to also select URLs without a page at the instant of the snapshot, and URLs that are only known as the target of aliases. Has no
   * effect if the selection has a filter.
   */
  isOfAllTime: boolean
}

/** One part of the pages of a selection. */
export interface SelectedPages {
  /** The selected URLs, each with the number of captures in its whole history. */
  pages: { url: string; captures: number }[]
  /** The last URL that was read; undefined if there are no more. */
  next?: string
}

/**
 * Reads one part of the pages that conditions select, in the order of their URLs. A filter is evaluated as of the instant of the
 * snapshot.
 *
 * @param fields - the fields of the index as of the instant of the snapshot. Default: those of the snapshot, which must then have the
 *   whole index.
 * @throws ASOF_INVALID_OPTION - a value of the filter has another type than its field.
 */
export async function selectPages(
  store: RangeStore,
  { site, prefix, filter }: Conditions,
  { after, atMost, mostRead, isOfAllTime }: SelectedRange,
  snapshot: Snapshot,
  fields?: IndexFields,
): Promise<SelectedPages> {
  const fulfills = filter && filterAt(filter, snapshot, fields)
  const selected: SelectedPages = { pages: [] }
  const ranges = rangesOf(prefix, after)
  // A purge of all time also finds URLs without a history that are the target of aliases.
  const urls = new KnownUrls(store, isOfAllTime && !fulfills ? ranges : { ...ranges, claims: nothing })
  try {
    for (let url = await urls.next(); url !== undefined; url = await urls.next()) {
      if (site === undefined || isOnSite(url, site)) {
        const record = urls.record ? decodeUrlRecord(urls.record) : []
        if (isSelected(record, snapshot, isOfAllTime, fulfills))
          selected.pages.push({ url, captures: versionsIn(record).captures.length })
      }
      if (selected.pages.length === atMost || urls.keysRead >= mostRead) return { ...selected, next: url }
    }
    return selected
  } finally {
    await urls.close()
  }
}

/** A range without keys. */
const nothing: KeyRange = { ...allClaims, lt: allClaims.gte }

type Fulfills = (captureId: number, acquiredAt: number) => boolean

function isSelected(
  record: UrlRecord,
  { catalog, instant }: Snapshot,
  isOfAllTime: boolean,
  fulfills: Fulfills | undefined,
): boolean {
  if (isOfAllTime && !fulfills) return true
  // Observations of a commit that is on disk but not in the catalog are not visible yet.
  const { nextCaptureId } = catalog.manifest
  const visible = record.filter(one => one.kind !== 'capture' || one.captureId < nextCaptureId)
  const current = captureAt(visible, instant)
  return current !== undefined && (fulfills?.(current.captureId, current.at) ?? true)
}

/** Makes the test of a filter on captures that are valid at the instant of a snapshot. */
function filterAt(
  parsed: ParsedFilter,
  { catalog, instant }: Snapshot,
  fields: IndexFields = new KnownFields(viewsAt(catalog.segments, instant)),
): Fulfills {
  const filters = new FiltersAsOf(fields, { origin: deltaOrigin(instant, instant), queryTime: instant })
  const filter = filters.ofRequest(parsed)
  filters.check()
  return (captureId, acquiredAt) => {
    const { segment, ordinal } = locateCapture(catalog, captureId, acquiredAt)
    return hasBit(fieldBits(segment, filter, instant), ordinal)
  }
}

/** Returns the keys of the URLs of a selection that come after a given URL. */
export function rangesOf(prefix: string | undefined, after: string | undefined): UrlRanges {
  const [records, claims] =
    prefix === undefined ? [allUrls, allClaims] : [prefixRange(urlKey(prefix)), prefixRange(claimPrefix(prefix))]
  if (after === undefined) return { records, claims }
  // A zero byte makes the smallest key after a URL, because no URL has one.
  const gte = Buffer.concat([urlKey(after), Uint8Array.of(0)])
  return { records: { ...records, gte }, claims: { ...claims, gte: claimsOf(after).lt } }
}

function prefixRange(key: Uint8Array): KeyRange {
  return { gte: key, lt: afterPrefix(key) }
}

/** Returns the smallest key after all keys that begin with a prefix. Normalized URLs are ASCII, so the last byte can be raised. */
function afterPrefix(key: Uint8Array): Uint8Array {
  const end = Uint8Array.from(key)
  end[end.length - 1]!++
  return end
}

function isOnSite(url: string, site: string): boolean {
  const host = hostOf(url)
  return host === site || host.endsWith(`.${site}`)
}
