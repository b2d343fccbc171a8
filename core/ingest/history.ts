import type { UrlRecord } from '../store/url-record.ts'

/** A capture to be written, as the history of its URL sees it. */
export interface NewCapture {
  captureId: number
  at: number
  supersededAt: number
  /** Set when this is older content seen again behind newly declared content: the capture whose content it repeats. */
  sameAs?: Repeated
}

export interface Repeated {
  captureId: number
  acquiredAt: number
}

/** An earlier capture whose `supersededAt` changes. */
export interface Supersession {
  captureId: number
  acquiredAt: number
  supersededAt: number
}

export interface HistoryChange {
  outcome: 'captured' | 'unchanged' | 'removed' | 'absent'
  captures: NewCapture[]
  superseded: Supersession[]
}

const nothing = (outcome: HistoryChange['outcome']): HistoryChange => ({ outcome, captures: [], superseded: [] })

/**
 * Enters "at this URL, at this instant, there was this content" into the URL's record.
 *
 * Content that equals what was there just before makes a sighting; anything else makes a capture, which ends the one
 * before. When content is declared in the middle of a known stretch, the first sighting behind it becomes a capture of
 * the old content. Whether an observation is a capture depends on observations at or before it alone: this is why an
 * index that was only given the captures up to T agrees with this one as of T, whatever the order of arrival.
 *
 * @param record - changed in place.
 */
export function observeContent(
  record: UrlRecord,
  at: number,
  fingerprint: string,
  nextId: () => number,
): HistoryChange {
  const index = insertionIndex(record, at)
  const before = currentBefore(record, index)
  if (before?.fingerprint === fingerprint) {
    const seenThen = record[index - 1]?.at === at
    if (!seenThen) record.splice(index, 0, { kind: 'sighting', at })
    return nothing('unchanged')
  }
  const captureId = nextId()
  const change = nothing('captured')
  const captured: NewCapture = { captureId, at, supersededAt: endOf(record, index) }
  change.captures.push(captured)
  if (before) {
    change.superseded.push({ captureId: before.captureId, acquiredAt: before.at, supersededAt: at })
    const next = record[index]
    if (next?.kind === 'sighting') {
      const again: NewCapture = {
        captureId: nextId(),
        at: next.at,
        supersededAt: captured.supersededAt,
        sameAs: { captureId: before.captureId, acquiredAt: before.at },
      }
      record[index] = { kind: 'capture', at: next.at, captureId: again.captureId, fingerprint: before.fingerprint }
      captured.supersededAt = next.at
      change.captures.push(again)
    }
  }
  record.splice(index, 0, { kind: 'capture', at, captureId, fingerprint })
  return change
}

/** Enters that what was there before was still there at `at`; without a page to be seen there, nothing. */
export function observeSighting(record: UrlRecord, at: number): HistoryChange {
  const index = insertionIndex(record, at)
  const before = currentBefore(record, index)
  return before ? observeContent(record, at, before.fingerprint, noId) : nothing('absent')
}

function noId(): number {
  throw new TypeError('a sighting makes no capture')
}

/** Enters that the URL is gone from `at` on; `at` must not precede the record's last observation. */
export function observeRemoval(record: UrlRecord, at: number): HistoryChange {
  const before = currentBefore(record, record.length)
  if (!before) return nothing('absent')
  record.push({ kind: 'removal', at })
  return {
    outcome: 'removed',
    captures: [],
    superseded: [{ captureId: before.captureId, acquiredAt: before.at, supersededAt: at }],
  }
}

/** The capture that was current at an instant, and when its content was last seen up to then. */
export interface CurrentCapture {
  captureId: number
  at: number
  lastSeenAt: number
}

export function currentAt(record: UrlRecord, at: number): CurrentCapture | undefined {
  const index = insertionIndex(record, at)
  const current = currentBefore(record, index)
  return current && { captureId: current.captureId, at: current.at, lastSeenAt: record[index - 1].at }
}

/** Where an observation at `at` goes: behind those of the same millisecond, since the later to arrive wins. */
function insertionIndex(record: UrlRecord, at: number): number {
  let index = record.length
  while (index > 0 && record[index - 1].at > at) index--
  return index
}

function currentBefore(
  record: UrlRecord,
  index: number,
): { captureId: number; at: number; fingerprint: string } | undefined {
  for (let i = index - 1; i >= 0; i--) {
    const observation = record[i]
    if (observation.kind === 'capture') return observation
    if (observation.kind === 'removal') return undefined
  }
  return undefined
}

/** When a capture standing before `index` ends: at the next capture or removal. */
function endOf(record: UrlRecord, index: number): number {
  for (let i = index; i < record.length; i++) if (record[i].kind !== 'sighting') return record[i].at
  return Number.POSITIVE_INFINITY
}
