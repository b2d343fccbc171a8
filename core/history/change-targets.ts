import type { Snapshot } from '../store/snapshots/snapshots.ts'
import { normalizeUrl } from '../url.ts'
import { aliasTarget, ownCapture, visibleRecord } from './current-capture.ts'

/**
 * Returns the URL under which a sighting or a removal of `url` is recorded: `url` if it has a current page, otherwise
 * the page that it is an alias of.
 */
export function recordedUrl(url: string, latest: Snapshot): string {
  const normal = normalizeUrl(url)
  return ownCapture(normal, latest) ? normal : (aliasTarget(normal, latest) ?? normal)
}

/**
 * Returns the URLs that a purge of `url` deletes: `url`, and the page that it is an alias of unless `url` ever had a
 * page of its own.
 */
export function purgedUrls(url: string, latest: Snapshot): string[] {
  const normal = normalizeUrl(url)
  const record = visibleRecord(normal, latest)
  const target = record.some(({ kind }) => kind === 'capture') ? undefined : aliasTarget(normal, latest)
  return target === undefined ? [normal] : [normal, target]
}
