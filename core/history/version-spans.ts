import type { UrlRecord } from '../store/records/url-record.ts'
import type { PageVersion } from './page-version.ts'

/** Where the content of a version is stored. */
export interface ContentPlace {
  captureId: number
  acquiredAt: number
  fingerprint: string
  /** The revision that holds the metadata. Undefined if the capture holds them. */
  revision?: { id: number; at: number }
}

/** One version of a URL and the time during which it is current, without its content. Instants are epoch ms. */
export interface VersionSpan {
  kind: PageVersion['kind']
  at: number
  /** Undefined for a removal. */
  content?: ContentPlace
  lastSeenAt: number
  /** Infinity for the last version. */
  supersededAt: number
}

/** Returns the versions that began up to `instant`, oldest first. Reads the record once. */
export function versionSpans(record: UrlRecord, instant: number): VersionSpan[] {
  const spans: VersionSpan[] = []
  let content: ContentPlace | undefined
  for (const observation of record) {
    const { kind, at } = observation
    if (at > instant) break
    if (kind === 'capture') {
      const { captureId, fingerprint } = observation
      content = { captureId, acquiredAt: at, fingerprint }
    } else if (kind === 'revision') content = content && { ...content, revision: { id: observation.revisionId, at } }
    else if (kind === 'removal') content = undefined
    const before = spans.at(-1)
    if (kind === 'sighting' || kind === 'seen') {
      if (before) before.lastSeenAt = at
      continue
    }
    if (!content && !before?.content) continue
    if (before) before.supersededAt = at
    spans.push({ kind, at, content, lastSeenAt: at, supersededAt: Number.POSITIVE_INFINITY })
  }
  return spans
}
