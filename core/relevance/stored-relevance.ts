import { AsofError } from '@asof/extract/errors'
import { partitionPoint } from '../bytes/binary-search.ts'
import { relevanceInstantsKey, relevanceKey } from '../store/keys.ts'
import type { Manifest } from '../store/manifest.ts'
import type { StoredValues } from '../store/store-reader.ts'
import type { Relevance } from './relevance.ts'

/** Maximum number of times that the relevance of an index may be set. */
export const MAX_VERSIONS = 10_000
/** Number of versions that a thread keeps in memory. */
const MAX_KEPT = 4

/** A version of the relevance of an index. */
export interface RelevanceVersion {
  relevance: Relevance
  /** The instant from which the version is valid, epoch ms. */
  since: number
}

/** What a thread knows of the versions of one store. Versions never change. */
interface Known {
  instants: readonly number[]
  versions: Map<number, RelevanceVersion>
}

const known = new WeakMap<StoredValues, Known>()

/** The relevance of an index as of an instant; undefined if none was set by then. */
export function relevanceAt(
  store: StoredValues,
  { relevanceVersions = 0 }: Manifest,
  instant: number,
): RelevanceVersion | undefined {
  if (relevanceVersions === 0) return undefined
  let kept = known.get(store)
  if (!kept || kept.instants.length < relevanceVersions) {
    kept = { instants: relevanceInstants(store), versions: kept?.versions ?? new Map() }
    known.set(store, kept)
  }
  const { instants, versions } = kept
  const number = partitionPoint(relevanceVersions, n => instants[n]! <= instant)
  const since = instants[number - 1]
  if (since === undefined) return undefined
  const found = versions.get(number)
  if (found) return found
  const version = { relevance: readVersion(store, number), since }
  for (const oldest of versions.keys()) if (versions.size >= MAX_KEPT) versions.delete(oldest)
  versions.set(number, version)
  return version
}

/** The instants of all versions, ascending. */
export function relevanceInstants(store: Pick<StoredValues, 'get'>): number[] {
  const bytes = store.get(relevanceInstantsKey)
  return bytes ? (parsed(bytes) as number[]) : []
}

function readVersion(store: StoredValues, number: number): Relevance {
  const bytes = store.get(relevanceKey(number))
  if (!bytes) throw new AsofError('ASOF_STORE_CORRUPT', `version ${number} of the relevance is missing`)
  return parsed(bytes) as Relevance
}

export function encodeRelevance(value: Relevance | readonly number[]): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString())
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', 'a version of the relevance is not JSON', { cause })
  }
}
