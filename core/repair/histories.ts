import { insertObservation, observationsOf, type PlainObservation } from '../history/observations.ts'
import { type ResolvedHistory, resolveHistory, resolveRecord } from '../history/resolve-history.ts'
import { formOf, type Observation, type UrlRecord } from '../store/records/url-record.ts'
import type { CaptureFacts } from './capture-facts.ts'

/** A capture whose page has survived. */
export interface Survivor {
  captureId: number
  at: number
  fingerprint: string
  metadata: string
}

/** A capture, and the instant at which it was superseded: epoch ms; Infinity if it is current. */
export interface Ending {
  captureId: number
  at: number
  supersededAt: number
  /** The instant of the declared removal that superseded it, epoch ms. */
  removedAt?: number
  /** The revisions of its metadata, by time. */
  revisions: { revisionId: number; at: number; declared: boolean }[]
}

/** The recovered history of one URL. */
export interface SavedHistory {
  record: UrlRecord
  captures: Ending[]
  /** The instants at which lost captures were acquired, epoch ms. */
  lost: number[]
  /** Number of revisions whose metadata are lost. */
  revisionsLost: number
}

/**
 * Recovers the history of a URL without its lost captures and revisions. A lost capture ends the capture before it like a removal,
 * because the page had other content from then on. The sightings and revisions of a lost capture are lost with it. After a lost revision
 * the metadata are those before it.
 *
 * @param known - the record of the URL; empty if it is lost.
 * @param survivors - every capture of the URL whose page has survived, in the record or not.
 * @param factsOf - returns when a capture that is in no record ended.
 * @param hasRevision - returns true if the metadata of a revision have survived.
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
  // If the record is lost, its removals are derived from the columns. Otherwise the record has them.
  if (known.length === 0)
    for (const { captureId, at } of survivors) {
      const { supersededAt: end = Number.POSITIVE_INFINITY, declared = false } = factsOf(captureId) ?? {}
      // There is no evidence whether the removal was declared. Usually it was, if its page was.
      if (end > at && end < Number.POSITIVE_INFINITY)
        insertObservation(observations, { kind: 'removal', at: end, declared })
    }
  const inRecord = new Set(known.flatMap(observation => (observation.kind === 'capture' ? observation.captureId : [])))
  // Removals were entered first. So a capture replaces the removal that ends the capture before it at the same instant.
  for (const { captureId, at, fingerprint, metadata } of survivors)
    if (!inRecord.has(captureId)) {
      const declared = factsOf(captureId)?.declared ?? false
      const stored = { captureId, acquiredAt: at, heldAt: at, form: formOf(metadata), role: 'capture' as const }
      insertObservation(observations, { kind: 'content', at, fingerprint, metadata, declared, stored })
    }
  const { record, spans } = resolveWithoutNew(observations)
  return { record, captures: endingsOf(spans), lost: left.lost, revisionsLost: left.revisionsLost }
}

/** Returns a record as it would be if some captures, with their sightings and revisions, had never been observed. */
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
 * Returns the captures of a history, and when each was superseded.
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
  const record: Observation[] = []
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

/** The number of a capture or revision that the index does not have. */
const NEW = 0

/** Resolves a history without new captures or revisions. There is no content for them, so their observations become `seen`. */
function resolveWithoutNew(observations: readonly PlainObservation<never>[]): ResolvedHistory<never> {
  let left = observations
  for (;;) {
    const resolved = resolveHistory(left, () => NEW)
    const made = new Set<PlainObservation<never>>()
    for (const { captureId, first, revisions } of resolved.spans) {
      if (captureId === NEW) made.add(first)
      for (const { revisionId, observation } of revisions) if (revisionId === NEW) made.add(observation)
    }
    if (made.size === 0) return resolved
    left = left.map(observation => (made.has(observation) ? { kind: 'seen', at: observation.at } : observation))
  }
}
