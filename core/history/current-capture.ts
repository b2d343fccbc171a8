import { aliasKey, urlKey } from '../store/keys.ts'
import { decodeAliasRecord, targetAt } from '../store/records/alias-record.ts'
import { decodeUrlRecord, type UrlRecord } from '../store/records/url-record.ts'
import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { indexAfter } from './observations.ts'

/** The version of a page that is current at the snapshot's instant. */
export interface CurrentCapture {
  captureId: number
  /** When the text was acquired, epoch ms. */
  at: number
  /** When the page was last seen up to the snapshot's instant, epoch ms. */
  lastSeenAt: number
  /**
   * The last revision up to the snapshot's instant; `at` is when the revision was acquired, epoch ms. Undefined if
   * there is none.
   */
  revision?: { id: number; at: number }
  /**
   * The instant at which new text, new metadata or a removal followed, epoch ms. Undefined if this version is the last.
   */
  supersededAt?: number
}

/** Returns the current capture of a URL or, if the URL has none, of the page that it is an alias of. */
export function currentCapture(url: string, snapshot: Snapshot): CurrentCapture | undefined {
  const own = ownCapture(url, snapshot)
  const target = own ? undefined : aliasTarget(url, snapshot)
  return own ?? (target === undefined ? undefined : ownCapture(target, snapshot))
}

/** Returns the current capture of a URL. Does not follow aliases. */
export function ownCapture(url: string, snapshot: Snapshot): CurrentCapture | undefined {
  return captureAt(visibleRecord(url, snapshot), snapshot.instant)
}

/** Returns the history of a URL, without observations that the snapshot does not see yet. Empty for an unknown URL. */
export function visibleRecord(url: string, { store, catalog }: Omit<Snapshot, 'instant'>): UrlRecord {
  const bytes = store.get(urlKey(url))
  if (!bytes) return []
  const { nextCaptureId } = catalog.manifest
  // A commit writes to disk first and becomes visible to readers later. Observations of such a commit are left out.
  return decodeUrlRecord(bytes).filter(observation => {
    if (observation.kind === 'capture') return observation.captureId < nextCaptureId
    return observation.kind !== 'revision' || observation.revisionId < nextCaptureId
  })
}

/** Returns the URL of the page that an alias led to at the snapshot's instant. */
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
    return {
      captureId: observation.captureId,
      at: observation.at,
      lastSeenAt,
      revision,
      supersededAt: nextChangeAt(record, index),
    }
  }
  return undefined
}

/** Returns the instant of the first observation from `index` on that is not a sighting; undefined if there is none. */
function nextChangeAt(record: UrlRecord, index: number): number | undefined {
  for (let i = index; i < record.length; i++) {
    const { kind, at } = record[i]!
    if (kind === 'capture' || kind === 'revision' || kind === 'removal') return at
  }
  return undefined
}
