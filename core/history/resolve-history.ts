import { formOf, type Observation, type UrlRecord } from '../store/records/url-record.ts'
import {
  type ContentObservation,
  contradiction,
  observationsOf,
  type PlainObservation,
  type Role,
} from './observations.ts'

/** A capture while it is current: from its first observation until it is superseded, with its revisions by time. */
export interface CaptureSpan<G> {
  captureId: number
  first: ContentObservation<G>
  /** Epoch ms; Infinity while current. */
  supersededAt: number
  /** True if a removal ended it whose instant the caller gave. */
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
 * Gives each observation its role. Roles depend on the set of observations alone, never on the order in which they arrived:
 * content is a capture if there was no page or another text before it, a revision if the metadata, markup or white space
 * before it differ, and a sighting otherwise.
 *
 * @param observations - by time.
 * @param nextId - numbers captures and revisions that the index does not have in this role.
 */
export function resolveHistory<G>(
  observations: readonly PlainObservation<G>[],
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
 * @throws ASOF_STORE_CORRUPT - the stored roles are not those that the observations have.
 */
export function resolveRecord<G>(record: UrlRecord): ResolvedHistory<G> {
  const resolved = resolveHistory(observationsOf<G>(record), () => {
    throw contradiction()
  })
  for (const [{ stored }, role] of resolved.roles) if (stored?.role !== role) throw contradiction()
  return resolved
}

/** The number of a revision that the index already has in the form that this capture needs. */
function storedRevision<G>({ stored, metadata }: ContentObservation<G>, { first }: CaptureSpan<G>): number | undefined {
  if (stored?.role !== 'revision') return undefined
  const form = formOf(metadata)
  // A revision without a copy of the text has the text of its capture, which may be another capture now.
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
): Observation {
  if (role === 'capture') return { kind: role, at, captureId, fingerprint, metadata, declared }
  if (role === 'sighting') return { kind: role, at, declared }
  const { revisionId } = revisions[revisions.length - 1]!
  return { kind: role, at, revisionId, metadata, declared }
}
