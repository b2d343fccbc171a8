import {
  aliasKey,
  bodyKey,
  claimOfKey,
  claimsOf,
  documentKey,
  type KeyRange,
  revisionKey,
  revisionRowsKey,
  urlKey,
} from '../store/keys.ts'
import { decodeAliasRecord } from '../store/records/alias-record.ts'
import { decodeUrlRecord, type UrlRecord } from '../store/records/url-record.ts'
import type { ColumnValues, PartialIndex } from './partial-index.ts'

/** The stored values of the pages of a whole index. */
export interface PageValues {
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>
  /** Returns the keys and values of a range. */
  range(range: KeyRange): Promise<[Uint8Array, Uint8Array][]>
  /** Returns values of columns, by the number of the capture. Captures that were deleted are left out. */
  columns(captureIds: readonly number[]): Promise<ReadonlyMap<number, ColumnValues>>
}

/** The stored values of the pages of a whole index, with methods for ranges that may be long. */
export interface PageStore extends PageValues {
  /** Reads the first keys and values of a range. */
  firstOf(range: KeyRange, atMost: number): Promise<[Uint8Array, Uint8Array][]>
  /** Reads a range from its beginning, some keys and values at a time. Reads only as far as the caller iterates. */
  pagesOf(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array][]>
}

export interface LoadedPages {
  /** Load only these captures. Default: all captures of the URLs. */
  captureIds?: ReadonlySet<number>
  /** Aliases whose records are also loaded. A record has all pages that the alias led to, and when. Default: none. */
  aliases?: Iterable<string>
  /** False if the URLs are only meant as URLs of pages, not as aliases of other pages. Default true. */
  followsAliases?: boolean
  /** True to load also the aliases that lead to the URLs, for a purge. Default false. */
  claims?: boolean
  /** True for a commit, see `PartialIndex.place`. */
  isForCommit?: boolean
}

/** Copies histories and captures from a whole index into a part: those of the URLs, and of the pages that the URLs are aliases of. */
export async function loadPages(
  part: PartialIndex,
  urls: Iterable<string>,
  whole: PageValues,
  { captureIds, aliases = [], claims = false, followsAliases = true, isForCommit = false }: LoadedPages = {},
): Promise<void> {
  const asked = new Set(urls)
  const names = followsAliases ? new Set([...asked, ...aliases]) : new Set(aliases)
  if (claims)
    for (const url of asked) {
      const entries = await whole.range(claimsOf(url))
      part.store.apply(entries.map(([key, value]) => ({ type: 'put', key, value })))
      for (const [key] of entries) names.add(claimOfKey(key).alias)
    }
  await copy(part, [...names].map(aliasKey), whole)
  const targets = [...asked].flatMap(alias => {
    const record = part.store.get(aliasKey(alias))
    return record ? decodeAliasRecord(record).map(({ url }) => url) : []
  })
  const all = new Set([...asked, ...targets])
  await copy(part, [...all].map(urlKey), whole)
  const records = [...all].map(url => {
    const record = part.store.get(urlKey(url))
    return record ? decodeUrlRecord(record) : []
  })
  const contents = records.flatMap(record => contentsOf(record, captureIds))
  await copy(
    part,
    contents.flatMap(({ keys }) => keys),
    whole,
  )
  const columns = await whole.columns(contents.flatMap(({ captureId }) => captureId ?? []))
  await (isForCommit ? part.place(all, columns) : part.show(all, columns))
}

/** Returns the keys of the contents of the captures in a history. */
function contentsOf(
  record: UrlRecord,
  captureIds: ReadonlySet<number> | undefined,
): { captureId?: number; keys: Uint8Array[] }[] {
  let isAsked = false
  return record.flatMap(observation => {
    if (observation.kind === 'capture') {
      const { captureId } = observation
      isAsked = captureIds?.has(captureId) ?? true
      const keys = [documentKey(captureId), bodyKey(captureId), revisionRowsKey(captureId)]
      return isAsked ? { captureId, keys } : []
    }
    return observation.kind === 'revision' && isAsked ? { keys: [revisionKey(observation.revisionId)] } : []
  })
}

/** Copies values that the part does not have. */
async function copy(part: PartialIndex, keys: readonly Uint8Array[], whole: PageValues): Promise<void> {
  const missing = keys.filter(key => part.store.get(key) === undefined)
  if (missing.length === 0) return
  const values = await whole.getMany(missing)
  part.store.apply(values.flatMap((value, i) => (value ? { type: 'put' as const, key: missing[i]!, value } : [])))
}
