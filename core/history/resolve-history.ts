import { formOf, type RecordedObservation, type UrlRecord } from '../store/records/url-record.ts'
import {
  type ContentObservation,
  contradiction,
  observationsOf,
  type Role,
  type UnresolvedObservation,
} from './observations.ts'

/** A capture, the time during which it is current, and its revisions by time. */
export interface CaptureSpan<G> {
  captureId: number
  first: ContentObservation<G>
  /** Epoch ms; Infinity while the capture is current. */
  supersededAt: number
  /** True if a declared removal superseded the capture. */
  removalDeclared: boolean
  revisions: { revisionId: number; observation: ContentObservation<G> }[]
}

/** A history in which every observation has its role. */
export interface ResolvedHistory<G> {
  record: UrlRecord
  spans: CaptureSpan<G>[]
  /** The role of each observation of content. */
  roles: Map<ContentObservation<G>, Role>
}

/**
 * Gives each observation its role. Content is a capture if there was no page before or if the text differs. Content is
 * a revision if only metadata, markup or white space differ, and a sighting if nothing differs. Roles do not depend on
 * the order in which observations arrived.
 *
 * @param observations - sorted by time.
 * @param nextId - returns the number of a new capture or revision.
 */
export function resolveHistory<G>(
  observations: readonly UnresolvedObservation<G>[],
  nextId: () => number,
): ResolvedHistory<G> {
  const resolved: ResolvedHistory<G> = { record: [], spans: [], roles: new Map() }
  let current: CaptureSpan<G> | undefined
  let metadata = ''
  for (const observation of observations) {
    const { at } = observation
    if (observation.kind === 'content') {
      const role = roleAfter(current, metadata, observation)
      resolved.roles.set(observation, role)
      if (role === 'capture') {
        if (current) current.supersededAt = at
        const captureId = observation.stored?.role === 'capture' ? observation.stored.captureId : nextId()
        const supersededAt = Number.POSITIVE_INFINITY
        current = { captureId, first: observation, supersededAt, removalDeclared: false, revisions: [] }
        resolved.spans.push(current)
      } else if (role === 'revision') {
        current?.revisions.push({ revisionId: storedRevision(observation, current) ?? nextId(), observation })
      }
      metadata = observation.metadata
      resolved.record.push(recordEntry(observation, role, current as CaptureSpan<G>))
    } else {
      if (observation.kind === 'removal') {
        if (current) Object.assign(current, { supersededAt: at, removalDeclared: observation.declared })
        current = undefined
      }
      resolved.record.push(observation)
    }
  }
  return resolved
}

/**
 * Resolves a stored record.
 *
 * @throws ASOF_STORE_CORRUPT - the stored roles do not follow from the observations.
 */
export function resolveRecord<G>(record: UrlRecord): ResolvedHistory<G> {
  const resolved = resolveHistory(observationsOf<G>(record), () => {
    throw contradiction()
  })
  for (const [{ stored }, role] of resolved.roles) if (stored?.role !== role) throw contradiction()
  return resolved
}

/** Returns the number of a stored revision if it can still be used; undefined if it must be written again. */
function storedRevision<G>({ stored, metadata }: ContentObservation<G>, { first }: CaptureSpan<G>): number | undefined {
  if (stored?.role !== 'revision') return undefined
  const form = formOf(metadata)
  // A revision without its own copy of the text shares the text of its capture. It can only be used if the capture that
  // the observation now belongs to has the same form.
  return form !== stored.form || form === formOf(first.metadata) ? stored.revisionId : undefined
}

function roleAfter<G>(current: CaptureSpan<G> | undefined, metadata: string, observation: ContentObservation<G>): Role {
  if (current?.first.fingerprint !== observation.fingerprint) return 'capture'
  return metadata === observation.metadata ? 'sighting' : 'revision'
}

function recordEntry<G>(
  { at, fingerprint, metadata, declared }: ContentObservation<G>,
  role: Role,
  { captureId, revisions }: CaptureSpan<G>,
): RecordedObservation {
  if (role === 'capture') return { kind: role, at, captureId, fingerprint, metadata, declared }
  if (role === 'sighting') return { kind: role, at, declared }
  const { revisionId } = revisions[revisions.length - 1]!
  return { kind: role, at, revisionId, metadata, declared }
}
