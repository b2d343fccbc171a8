import type { Observation, UrlRecord } from '../store/url-record.ts'
import type { CaptureFacts } from './capture-facts.ts'

/** A capture whose page is still there. */
export interface Survivor {
  captureId: number
  at: number
  fingerprint: string
}

/** A capture and its end, epoch ms; Infinity while it is current. */
export interface Ending {
  captureId: number
  at: number
  supersededAt: number
}

/** What is left of the history of one URL. */
export interface SavedHistory {
  record: UrlRecord
  captures: Ending[]
  /** When captures that are lost were acquired, epoch ms. */
  lost: number[]
}

/**
 * The history of a URL without the captures that are lost. What followed a lost capture is not what was there before
 * it: a lost capture ends the one before like a removal, and sightings of it go with it.
 *
 * @param known - the URL's record; empty when it is lost.
 * @param survivors - every capture of the URL whose page is there, whether the record knows it or not.
 * @param factsOf - says when a capture ended that no record knows.
 */
export function savedHistory(
  known: UrlRecord,
  survivors: readonly Survivor[],
  factsOf: (captureId: number) => CaptureFacts | undefined,
): SavedHistory {
  const surviving = new Set(survivors.map(({ captureId }) => captureId))
  const observations: (Observation & { isLost?: boolean })[] = known.map(observation =>
    observation.kind === 'capture' && !surviving.has(observation.captureId)
      ? { kind: 'removal', at: observation.at, isLost: true }
      : observation,
  )
  const inRecord = new Set(known.flatMap(observation => (observation.kind === 'capture' ? observation.captureId : [])))
  for (const { captureId, at, fingerprint } of survivors)
    if (!inRecord.has(captureId)) observations.push({ kind: 'capture', at, captureId, fingerprint })
  // Only where the record says nothing: it knows of removals that came later.
  if (known.length === 0)
    for (const { captureId, at } of survivors) {
      const end = factsOf(captureId)?.supersededAt ?? Number.POSITIVE_INFINITY
      if (end > at && end < Number.POSITIVE_INFINITY) observations.push({ kind: 'removal', at: end })
    }
  // At one instant an end comes before what begins there; otherwise the order of arrival stays.
  observations.sort((a, b) => a.at - b.at || (known.length === 0 ? rank(a) - rank(b) : 0))
  return settled(observations)
}

/** When each capture of a history ends. */
export function settledEnds(record: UrlRecord): Ending[] {
  return settled(record).captures
}

const rank = ({ kind }: Observation): number => (kind === 'removal' ? 0 : 1)

function settled(observations: readonly (Observation & { isLost?: boolean })[]): SavedHistory {
  const history: SavedHistory = { record: [], captures: [], lost: [] }
  let isThere = false
  for (const { isLost, ...observation } of observations) {
    if (isLost) history.lost.push(observation.at)
    const current = history.captures.at(-1)
    if (observation.kind === 'capture') {
      if (isThere && current) current.supersededAt = observation.at
      history.captures.push({
        captureId: observation.captureId,
        at: observation.at,
        supersededAt: Number.POSITIVE_INFINITY,
      })
      isThere = true
    } else if (!isThere) continue
    else if (observation.kind === 'removal') {
      if (current) current.supersededAt = observation.at
      isThere = false
    }
    history.record.push(observation)
  }
  return history
}
