import { AsofError } from '@asof/extract/errors'
import { partitionPoint } from '../bytes/binary-search.ts'
import { formOf, type UrlRecord } from '../store/records/url-record.ts'

/**
 * One observation of a URL before its role is known: content, a re-fetch that found the page unchanged (`seen`), or the
 * page's removal.
 *
 * @typeParam G - data that the caller attaches to content it adds.
 */
export type UnresolvedObservation<G> =
  | ContentObservation<G>
  | { kind: 'seen'; at: number }
  | { kind: 'removal'; at: number; declared: boolean }

export interface ContentObservation<G> {
  kind: 'content'
  /** Epoch ms. */
  at: number
  /** A fingerprint of title, text and identifiers. */
  fingerprint: string
  /** A fingerprint of the metadata, markup and white space. */
  metadata: string
  /** True if the caller declared `at`. */
  declared: boolean
  /** The data that the caller attached. Undefined for content that is already in the index. */
  given?: G
  /** Where the index has the content. Undefined for content that is being added. */
  stored?: StoredContent
}

/** Where the index has the content of an observation. */
export interface StoredContent {
  /** The capture that holds the text. */
  captureId: number
  acquiredAt: number
  /** The revision that holds the metadata. Undefined if the capture holds them. */
  revisionId?: number
  /** The instant of the revision or capture that holds the metadata, epoch ms. */
  heldAt: number
  /**
   * A fingerprint of the markup and white space of the capture's text. A revision with other markup or white space
   * stores its own copy of the text.
   */
  form: string
  /** The stored role of the observation. */
  role: Role
}

/** The role of an observation of content: new text, the same text with new metadata, or nothing new. */
export type Role = 'capture' | 'revision' | 'sighting'

/** Returns the observations of a stored record, by time. */
export function observationsOf<G>(record: UrlRecord): UnresolvedObservation<G>[] {
  let content: (Pick<ContentObservation<G>, 'fingerprint' | 'metadata'> & { stored: StoredContent }) | undefined
  return record.map((observation): UnresolvedObservation<G> => {
    const { at } = observation
    if (observation.kind === 'seen') return { kind: observation.kind, at }
    if (observation.kind === 'removal') return { kind: observation.kind, at, declared: observation.declared }
    if (observation.kind === 'capture') {
      const { kind: role, captureId, fingerprint, metadata } = observation
      content = {
        fingerprint,
        metadata,
        stored: { captureId, acquiredAt: at, heldAt: at, form: formOf(metadata), role },
      }
    } else if (!content) throw contradiction()
    else if (observation.kind === 'revision') {
      const { kind: role, metadata, revisionId } = observation
      content = { ...content, metadata, stored: { ...content.stored, revisionId, heldAt: at, role } }
    } else content = { ...content, stored: { ...content.stored, role: observation.kind } }
    return { kind: 'content', at, declared: observation.declared, ...content }
  })
}

/** Returns the error for a stored history whose roles do not follow from its observations. */
export function contradiction(): AsofError {
  return new AsofError('ASOF_STORE_CORRUPT', 'the history of a URL contradicts itself')
}

/**
 * Inserts an observation into a list that is sorted by time and has one observation per millisecond. The new
 * observation replaces an existing one of the same millisecond, unless the new one is a sighting.
 *
 * @param list - changed in place.
 * @returns true if the URL had a page just before the observation.
 */
export function insertObservation<G>(list: UnresolvedObservation<G>[], added: UnresolvedObservation<G>): boolean {
  const index = indexAfter(list, added.at)
  const hadPage = hasPageBefore(list, index)
  if (list[index - 1]?.at !== added.at) list.splice(index, 0, added)
  else if (replacedBy(list, added)) list[index - 1] = added
  return hadPage
}

/** Returns the observation that {@link insertObservation} would replace by `added`; undefined if there is none. */
export function replacedBy<G>(
  list: readonly UnresolvedObservation<G>[],
  added: UnresolvedObservation<G>,
): UnresolvedObservation<G> | undefined {
  const before = list[indexAfter(list, added.at) - 1]
  return before?.at === added.at && replaces(added, before) ? before : undefined
}

function replaces<G>(added: UnresolvedObservation<G>, before: UnresolvedObservation<G>): boolean {
  if (added.kind === 'seen' || before.kind === 'seen') return added.kind !== 'seen'
  // Of two equal observations the one with the engine's own time stamp is kept.
  return isEqual(added, before) ? before.declared && !added.declared : true
}

function isEqual<G>(a: UnresolvedObservation<G>, b: UnresolvedObservation<G>): boolean {
  if (a.kind !== 'content' || b.kind !== 'content') return a.kind === b.kind
  return a.fingerprint === b.fingerprint && a.metadata === b.metadata
}

function hasPageBefore<G>(list: readonly UnresolvedObservation<G>[], index: number): boolean {
  for (let i = index - 1; i >= 0; i--) {
    const { kind } = list[i]!
    if (kind !== 'seen') return kind === 'content'
  }
  return false
}

/** Returns the index of the first entry after an instant, in a list sorted by time. */
export function indexAfter(list: readonly { at: number }[], at: number): number {
  return partitionPoint(list.length, index => list[index]!.at <= at)
}
