import { aliasKey, urlKey } from '../store/keys.ts'
import { decodeAliasRecord, targetAt } from '../store/records/alias-record.ts'
import { decodeUrlRecord, type UrlRecord } from '../store/records/url-record.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { indexAfter } from './observations.ts'

/** The version of a page that is current at an instant. */
export interface CurrentCapture {
  captureId: number
  /** When the text was acquired, epoch ms. */
  at: number
  /** When the page was last seen up to the instant asked about, epoch ms. */
  lastSeenAt: number
  /** The revision that holds the metadata, and when it was acquired. Undefined: the capture holds them. */
  revision?: { id: number; at: number }
  /** When another text, other metadata or a removal followed this version, epoch ms. Undefined: it is still current. */
  supersededAt?: number
}

/** Returns the capture that is current at the URL; without one, the capture at the URL that it is an alias of. */
export function currentCapture(url: string, snapshot: Snapshot): CurrentCapture | undefined {
  const own = ownCapture(url, snapshot)
  const target = own ? undefined : aliasTarget(url, snapshot)
  return own ?? (target === undefined ? undefined : ownCapture(target, snapshot))
}

/** Returns the capture that is current at this very URL. Aliases are not followed. */
export function ownCapture(url: string, snapshot: Snapshot): CurrentCapture | undefined {
  return captureAt(visibleRecord(url, snapshot), snapshot.instant)
}

/** Returns the history of a URL, without what the snapshot's catalog does not have yet; empty for an unknown URL. */
export function visibleRecord(url: string, { store, catalog }: Omit<Snapshot, 'instant'>): UrlRecord {
  const bytes = store.get(urlKey(url))
  if (!bytes) return []
  const { nextCaptureId } = catalog.manifest
  // A commit that is on disk but not in the catalog is not visible yet.
  return decodeUrlRecord(bytes).filter(observation => {
    if (observation.kind === 'capture') return observation.captureId < nextCaptureId
    return observation.kind !== 'revision' || observation.revisionId < nextCaptureId
  })
}

/** Returns the URL of the page that an alias led to as of the instant. */
export function aliasTarget(alias: string, { store, instant }: Omit<Snapshot, 'catalog'>): string | undefined {
  const stored = store.get(aliasKey(alias))
  return stored && targetAt(decodeAliasRecord(stored), instant)
}

/** Returns the version of a URL that was current at an instant; undefined if there was no page. */
export function captureAt(record: UrlRecord, instant: number): CurrentCapture | undefined {
  const index = indexAfter(record, instant)
  let revision: CurrentCapture['revision']
  let lastSeenAt: number | undefined
  for (let i = index - 1; i >= 0; i--) {
    const observation = record[i]!
    lastSeenAt ??= observation.at
    if (observation.kind === 'removal') return undefined
    if (observation.kind === 'revision') revision ??= { id: observation.revisionId, at: observation.at }
    if (observation.kind !== 'capture') continue
    const supersededAt = nextChangeAt(record, index)
    return {
      captureId: observation.captureId,
      at: observation.at,
      lastSeenAt,
      ...(revision && { revision }),
      ...(supersededAt !== undefined && { supersededAt }),
    }
  }
  return undefined
}

/** When the first change at or after an index was observed; undefined if there is none. */
function nextChangeAt(record: UrlRecord, index: number): number | undefined {
  for (let i = index; i < record.length; i++) {
    const { kind, at } = record[i]!
    if (kind === 'capture' || kind === 'revision' || kind === 'removal') return at
  }
  return undefined
}
