import { AsofError } from '../errors.ts'
import { formOf, type Observation, type UrlRecord } from '../store/records/url-record.ts'

/**
 * One observation of a URL before its role is known: content, or a statement about whatever was there before.
 *
 * @typeParam G - what a caller gives along with content.
 */
export type Look<G> = ContentLook<G> | { kind: 'seen'; at: number } | { kind: 'removal'; at: number }

export interface ContentLook<G> {
  kind: 'content'
  /** Epoch ms. */
  at: number
  fingerprint: string
  metadata: string
  /** Whether the caller gave `at`. */
  declared: boolean
  /** Present for content that is being added. */
  given?: G
  /** Present for content that the index has. */
  stored?: StoredContent
}

/** Where the index has content. */
export interface StoredContent {
  /** The capture whose text it is. */
  captureId: number
  acquiredAt: number
  /** The revision whose metadata it is. Absent: those of the capture. */
  revisionId?: number
  /** The form of the capture's text, see `formOf`: a revision holds the text if its own form is another. */
  form: string
  /** What the look itself is in the index. */
  role: 'capture' | 'revision' | 'sighting'
}

/** A capture, and every revision of it, by time. */
export interface Stretch<G> {
  captureId: number
  first: ContentLook<G>
  /** Epoch ms; Infinity while current. */
  supersededAt: number
  revisions: { revisionId: number; look: ContentLook<G> }[]
}

/** A history whose roles are settled. */
export interface Settled<G> {
  record: UrlRecord
  stretches: Stretch<G>[]
  /** The role of each look that holds content. */
  roles: Map<ContentLook<G>, 'capture' | 'revision' | 'sighting'>
}

/** The looks of a record, by time. */
export function looksOf<G>(record: UrlRecord): Look<G>[] {
  let content: (Pick<ContentLook<G>, 'fingerprint' | 'metadata'> & { stored: StoredContent }) | undefined
  return record.map((observation): Look<G> => {
    const { at } = observation
    if (observation.kind === 'seen' || observation.kind === 'removal') return { kind: observation.kind, at }
    if (observation.kind === 'capture') {
      const { kind: role, captureId, fingerprint, metadata } = observation
      content = { fingerprint, metadata, stored: { captureId, acquiredAt: at, form: formOf(metadata), role } }
    } else if (!content) throw contradiction()
    else if (observation.kind === 'revision') {
      const { kind: role, metadata, revisionId } = observation
      content = { ...content, metadata, stored: { ...content.stored, revisionId, role } }
    } else content = { ...content, stored: { ...content.stored, role: observation.kind } }
    return { kind: 'content', at, declared: observation.declared, ...content }
  })
}

function contradiction(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'the history of a URL contradicts itself')
}

/**
 * The roles of a record as the index has them.
 *
 * @throws ASOF_STORE_CORRUPT - they are not those that the observations have.
 */
export function settledAs<G>(record: UrlRecord): Settled<G> {
  const looks = looksOf<G>(record)
  const settled = settle(looks, () => {
    throw contradiction()
  })
  for (const [{ stored }, role] of settled.roles) if (stored?.role !== role) throw contradiction()
  return settled
}

/**
 * Enters a look where it belongs: by time, behind those of the same millisecond, since the later to arrive wins. One
 * that says no more than the look before it in the same millisecond is left out.
 *
 * @param looks - changed in place.
 * @returns whether there was a page just before.
 */
export function enterLook<G>(looks: Look<G>[], look: Look<G>): boolean {
  const index = insertionIndex(looks, look.at)
  const before = looks[index - 1]
  if (before?.at !== look.at || !repeats(look, before)) looks.splice(index, 0, look)
  return hasPageBefore(looks, index)
}

function repeats<G>(look: Look<G>, before: Look<G>): boolean {
  if (look.kind !== 'content' || before.kind !== 'content') return look.kind === 'seen' || look.kind === before.kind
  return look.fingerprint === before.fingerprint && look.metadata === before.metadata
}

function hasPageBefore<G>(looks: readonly Look<G>[], index: number): boolean {
  for (let i = index - 1; i >= 0; i--) if (looks[i].kind !== 'seen') return looks[i].kind === 'content'
  return false
}

/**
 * Gives each look its role. It depends on the looks alone, whatever the order in which they arrived: content is a
 * capture when nothing or another text was there before it, else a revision when other metadata, markup or white space
 * were, else a sighting.
 *
 * @param looks - by time.
 * @param nextId - numbers captures and revisions that the index does not have as such.
 */
export function settle<G>(looks: readonly Look<G>[], nextId: () => number): Settled<G> {
  const settled: Settled<G> = { record: [], stretches: [], roles: new Map() }
  let current: Stretch<G> | undefined
  let metadata = ''
  for (const look of looks) {
    const { at } = look
    if (look.kind === 'content') {
      const role = roleAfter(current, metadata, look)
      settled.roles.set(look, role)
      if (role === 'capture') {
        if (current) current.supersededAt = at
        const captureId = look.stored?.role === 'capture' ? look.stored.captureId : nextId()
        current = { captureId, first: look, supersededAt: Number.POSITIVE_INFINITY, revisions: [] }
        settled.stretches.push(current)
      } else if (role === 'revision') {
        current?.revisions.push({ revisionId: knownRevision(look, current) ?? nextId(), look })
      }
      metadata = look.metadata
      settled.record.push(observationOf(look, role, current as Stretch<G>))
    } else {
      if (look.kind === 'removal') {
        if (current) current.supersededAt = at
        current = undefined
      }
      settled.record.push({ kind: look.kind, at })
    }
  }
  return settled
}

/** The number under which the index has a revision as it belongs to a capture. */
function knownRevision<G>({ stored, metadata }: ContentLook<G>, { first }: Stretch<G>): number | undefined {
  if (stored?.role !== 'revision') return undefined
  const form = formOf(metadata)
  // One that does not hold its text has that of its capture, which may be another capture now.
  return form !== stored.form || form === formOf(first.metadata) ? stored.revisionId : undefined
}

function roleAfter<G>(
  current: Stretch<G> | undefined,
  metadata: string,
  look: ContentLook<G>,
): 'capture' | 'revision' | 'sighting' {
  if (current?.first.fingerprint !== look.fingerprint) return 'capture'
  return metadata === look.metadata ? 'sighting' : 'revision'
}

function observationOf<G>(
  { at, fingerprint, metadata, declared }: ContentLook<G>,
  role: 'capture' | 'revision' | 'sighting',
  { captureId, revisions }: Stretch<G>,
): Observation {
  if (role === 'capture') return { kind: role, at, captureId, fingerprint, metadata, declared }
  if (role === 'sighting') return { kind: role, at, declared }
  const { revisionId } = revisions[revisions.length - 1]
  return { kind: role, at, revisionId, metadata, declared }
}

/** The version of a page that was current at an instant. */
export interface CurrentCapture {
  captureId: number
  /** When its text was acquired, epoch ms. */
  at: number
  /** When the page was last seen up to then, epoch ms. */
  lastSeenAt: number
  /** The revision that says the rest, and its instant. Absent: the capture does. */
  revision?: { id: number; at: number }
  /** When this version was followed by another text, other metadata or a removal, epoch ms. Absent: it is current still. */
  supersededAt?: number
}

export function currentAt(record: UrlRecord, at: number): CurrentCapture | undefined {
  const index = insertionIndex(record, at)
  let revision: CurrentCapture['revision']
  for (let i = index - 1; i >= 0; i--) {
    const observation = record[i]
    if (observation.kind === 'removal') return undefined
    if (observation.kind === 'revision') revision ??= { id: observation.revisionId, at: observation.at }
    if (observation.kind !== 'capture') continue
    const end = endFrom(record, index)
    return {
      captureId: observation.captureId,
      at: observation.at,
      lastSeenAt: record[index - 1].at,
      ...(revision && { revision }),
      ...(end !== undefined && { supersededAt: end }),
    }
  }
  return undefined
}

/** When what is there before an index ends; undefined while it is current. */
function endFrom(record: UrlRecord, index: number): number | undefined {
  for (let i = index; i < record.length; i++) {
    const { kind, at } = record[i]
    if (kind === 'capture' || kind === 'revision' || kind === 'removal') return at
  }
  return undefined
}

/** Where something of the instant `at` goes: behind what has the same millisecond. */
function insertionIndex(list: readonly { at: number }[], at: number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (list[middle].at <= at) low = middle + 1
    else high = middle
  }
  return low
}
