import { insertObservation, observationsOf, type UnresolvedObservation } from '../history/observations.ts'
import { type ResolvedHistory, resolveHistory, resolveRecord } from '../history/resolve-history.ts'
import { formOf, type RecordedObservation, type UrlRecord } from '../store/records/url-record.ts'
import type { CaptureFacts } from './capture-facts.ts'

/** A capture whose page could be read. */
export interface Survivor {
  captureId: number
  at: number
  fingerprint: string
  metadata: string
}

/** A capture, and when it was superseded: epoch ms; Infinity while it is current. */
export interface Ending {
  captureId: number
  at: number
  supersededAt: number
  /** The instant of the declared removal that superseded the capture, epoch ms. */
  removedAt?: number
  /** The capture's revisions, by time. */
  revisions: { revisionId: number; at: number; declared: boolean }[]
}

/** The recovered history of one URL. */
export interface SavedHistory {
  record: UrlRecord
  captures: Ending[]
  /** When the lost captures were acquired, epoch ms. */
  lost: number[]
  /** Number of revisions whose metadata are lost. */
  revisionsLost: number
}

/**
 * Recovers the history of a URL without its lost captures and revisions. Where a capture is lost, the page counts as
 * removed, because its text is unknown from then on. The capture's sightings and revisions are lost too. Where a
 * revision is lost, the metadata before it stay valid.
 *
 * @param known - the record of the URL; empty if it is lost.
 * @param survivors - every capture of the URL whose page could be read, in the record or not.
 * @param factsOf - returns the values of a capture in its segment; called for captures that are in no record.
 * @param hasRevision - returns true if the metadata of a revision could be read.
 */
export function recoverHistory(
  known: UrlRecord,
  survivors: readonly Survivor[],
  factsOf: (captureId: number) => CaptureFacts | undefined,
  hasRevision: (revisionId: number) => boolean = () => true,
): SavedHistory {
  const surviving = new Set(survivors.map(({ captureId }) => captureId))
  const left = withoutLost(known, captureId => surviving.has(captureId), hasRevision)
  const observations = observationsOf<never>(left.record)
  // If the record is lost, removals are derived from the instants at which captures were superseded.
  if (known.length === 0)
    for (const { captureId, at } of survivors) {
      const { supersededAt: end = Number.POSITIVE_INFINITY, declared = false } = factsOf(captureId) ?? {}
      // Nothing shows whether the removal was declared. It is taken as declared if the capture was.
      if (end > at && end < Number.POSITIVE_INFINITY)
        insertObservation(observations, { kind: 'removal', at: end, declared })
    }
  const inRecord = new Set(known.flatMap(observation => (observation.kind === 'capture' ? observation.captureId : [])))
  // Captures are inserted after removals. So the next capture replaces a removal that was derived from the instant of
  // that capture.
  for (const { captureId, at, fingerprint, metadata } of survivors)
    if (!inRecord.has(captureId)) {
      const declared = factsOf(captureId)?.declared ?? false
      const stored = { captureId, acquiredAt: at, heldAt: at, form: formOf(metadata), role: 'capture' as const }
      insertObservation(observations, { kind: 'content', at, fingerprint, metadata, declared, stored })
    }
  const { record, spans } = resolveWithoutNew(observations)
  return { record, captures: endingsOf(spans), lost: left.lost, revisionsLost: left.revisionsLost }
}

/** Returns the record as if some captures, with their sightings and revisions, had never been observed. */
export function withoutCaptures(record: UrlRecord, isDeleted: (captureId: number) => boolean): UrlRecord {
  let isIn = true
  return record.filter(observation => {
    if (observation.kind === 'capture') isIn = !isDeleted(observation.captureId)
    return (
      isIn || (observation.kind !== 'capture' && observation.kind !== 'sighting' && observation.kind !== 'revision')
    )
  })
}

/**
 * Returns the captures of a history, each with the instant at which it was superseded.
 *
 * @throws ASOF_STORE_CORRUPT - the history contradicts itself.
 */
export function settledEnds(record: UrlRecord): Ending[] {
  return endingsOf(resolveRecord<never>(record).spans)
}

function endingsOf(spans: ResolvedHistory<never>['spans']): Ending[] {
  return spans.map(({ captureId, first, supersededAt, removalDeclared, revisions }) => ({
    captureId,
    at: first.at,
    supersededAt,
    removedAt: removalDeclared ? supersededAt : undefined,
    revisions: revisions.map(({ revisionId, observation: { at, declared } }) => ({ revisionId, at, declared })),
  }))
}

function withoutLost(
  known: UrlRecord,
  hasCapture: (captureId: number) => boolean,
  hasRevision: (revisionId: number) => boolean,
): Pick<SavedHistory, 'record' | 'lost' | 'revisionsLost'> {
  const record: RecordedObservation[] = []
  const lost: number[] = []
  let revisionsLost = 0
  let current: 'none' | 'there' | 'lost' = 'none'
  for (const observation of known) {
    const { kind, at } = observation
    if (kind === 'capture') {
      const isThere = hasCapture(observation.captureId)
      if (!isThere) lost.push(at)
      if (isThere) record.push(observation)
      else if (current === 'there') record.push({ kind: 'removal', at, declared: observation.declared })
      current = isThere ? 'there' : 'lost'
    } else if (current === 'lost') {
      if (kind === 'removal') current = 'none'
    } else if (kind === 'revision' && !hasRevision(observation.revisionId)) {
      revisionsLost++
      record.push({ kind: 'seen', at })
    } else {
      if (kind === 'removal') current = 'none'
      record.push(observation)
    }
  }
  return { record, lost, revisionsLost }
}

/** Placeholder number for a capture or revision that the index does not have. */
const NEW = 0

/**
 * Resolves a history that must not get new captures or revisions, because their content is lost. An observation that
 * would become one of them becomes `seen`.
 */
function resolveWithoutNew(observations: readonly UnresolvedObservation<never>[]): ResolvedHistory<never> {
  let left = observations
  for (;;) {
    const resolved = resolveHistory(left, () => NEW)
    const made = new Set<UnresolvedObservation<never>>()
    for (const { captureId, first, revisions } of resolved.spans) {
      if (captureId === NEW) made.add(first)
      for (const { revisionId, observation } of revisions) if (revisionId === NEW) made.add(observation)
    }
    if (made.size === 0) return resolved
    left = left.map(observation => (made.has(observation) ? { kind: 'seen', at: observation.at } : observation))
  }
}
