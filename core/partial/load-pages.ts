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
import type { PartialIndex } from './partial-index.ts'

/** The stored values of the pages of a whole index. */
export interface PageValues {
  getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]>
  /** Returns the keys and values of a range. */
  range(range: KeyRange): Promise<[Uint8Array, Uint8Array][]>
  /** The publish dates of captures that have one themselves, by the number of the capture. */
  publishedAt(captureIds: readonly number[]): Promise<Map<number, number>>
}

/** The same, of a store whose ranges may be long. */
export interface WholeStore extends PageValues {
  /** Reads the first keys and values of a range. */
  firstOf(range: KeyRange, atMost: number): Promise<[Uint8Array, Uint8Array][]>
  /** Reads a range from beginning to end, some keys and values at a time, or as far as the caller asks for. */
  pagesOf(range: KeyRange): AsyncIterable<[Uint8Array, Uint8Array][]>
}

export interface LoadedPages {
  /** Load only these captures. Default: all captures of the URLs. */
  captureIds?: ReadonlySet<number>
  /** Also load all that the aliases are and were. Default: none. */
  aliases?: Iterable<string>
  /** False if none of the URLs is asked for as an alias. Default true. */
  followsAliases?: boolean
  /** True to load also the aliases of the URLs, for a purge. */
  claims?: boolean
  /** True for a commit, see `PartialIndex.place`. */
  isForCommit?: boolean
}

/** Brings the histories of URLs and of the pages that these are aliases of, and their captures, from a whole index into a part. */
export async function loadPages(
  part: PartialIndex,
  urls: Iterable<string>,
  whole: PageValues,
  { captureIds, aliases = [], claims = false, followsAliases = true, isForCommit = false }: LoadedPages = {},
): Promise<void> {
  const asked = new Set(urls)
  const names = new Set([...(followsAliases ? asked : []), ...aliases])
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
  const publishedAt = await whole.publishedAt(contents.flatMap(({ captureId }) => captureId ?? []))
  await (isForCommit ? part.place(all, publishedAt) : part.show(all, publishedAt))
}

/** The keys of the content of a history. */
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
