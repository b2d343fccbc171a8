import type { FieldType } from '@asof/extract/page'
import { lowerBound } from '../bytes/binary-search.ts'
import { BLOCK } from '../bytes/bit-packing.ts'
import type { Revisions, SearchedMetadata } from '../segment/columns/revisions.ts'
import type { PostingList } from '../segment/postings/posting-list.ts'
import type { Segment } from '../segment/segment.ts'
import { fieldOfTerm, fieldsPrefix } from './field-terms.ts'
import { parseFields, typesOfFields } from './field-values.ts'

/**
 * Yields the names of the fields in a segment's dictionary. Fields of purged and expired captures are included, fields
 * of revisions are not.
 */
export function* fieldNames({ dictionary }: Segment): Generator<string> {
  for (let from = fieldsPrefix(); ; ) {
    const { value: entry } = dictionary.entries(from).next()
    const field = entry === undefined ? undefined : fieldOfTerm(entry.term)
    if (!field) return
    yield field.name
    // '>' is the character after '=', so the terms of the next field are at or after this one.
    from = `${fieldsPrefix()}${field.name}>`
  }
}

/**
 * Yields for each term of a field, in ascending order, its type and the ordinal of the first capture in its list that has no tombstone; −1 if
 * there is none.
 */
export function* firstTerms(segment: Segment, name: string): Generator<{ type: FieldType; ordinal: number }> {
  const prefix = fieldsPrefix(name)
  for (const entry of segment.dictionary.entries(prefix)) {
    const type = entry.term.startsWith(prefix) ? fieldOfTerm(entry.term)?.type : undefined
    if (!type) return
    yield { type, ordinal: firstLive(segment.list(entry), segment) }
  }
}

const ordinals = new Uint32Array(BLOCK)

/** Returns the ordinal of the first capture in a list that has no tombstone; −1 if there is none. */
function firstLive(list: PostingList, segment: Segment): number {
  for (let block = 0; block < list.blocks; block++) {
    const size = list.ordinals(block, ordinals)
    for (let i = 0; i < size; i++) {
      if (!isTombstone(segment, ordinals[i]!)) return ordinals[i]!
    }
  }
  return -1
}

/** A capture that has a field, itself or in one of its revisions. `type` is the type of the values. */
export interface FieldHolder {
  captureId: number
  type: FieldType
}

/**
 * For each field, the term and the ordinal at which the search for a capture without a tombstone begins. The captures of all earlier postings
 * have tombstones, which are never removed. If a field has no entry, all its captures have tombstones.
 */
const starts = new WeakMap<Segment, Map<string, { term: string; ordinal: number }>>()

function startsOf(segment: Segment): Map<string, { term: string; ordinal: number }> {
  const known = starts.get(segment)
  if (known) return known
  const found = new Map([...fieldNames(segment)].map(name => [name, { term: fieldsPrefix(name), ordinal: 0 }]))
  starts.set(segment, found)
  return found
}

/** Yields the names of the fields of a segment's captures and revisions. All captures with some of these fields may have tombstones. */
export function* heldNames(segment: Segment): Generator<string> {
  yield* startsOf(segment).keys()
  if (segment.revisions) yield* firstRowsOf(segment.revisions).keys()
}

/**
 * Yields the captures that have a field, themselves or in one of their revisions, without tombstones. May yield a
 * capture more than once.
 */
export function* fieldHolders(segment: Segment, name: string): Generator<FieldHolder> {
  yield* acquiredHolders(segment, name)
  if (segment.revisions) yield* revisedHolders(segment, segment.revisions, name)
}

function* acquiredHolders(segment: Segment, name: string): Generator<FieldHolder> {
  const all = startsOf(segment)
  const start = all.get(name)
  if (!start) return
  const prefix = fieldsPrefix(name)
  const block = new Uint32Array(BLOCK)
  let isFound = false
  for (const entry of segment.dictionary.entries(start.term)) {
    const { term } = entry
    const type = term.startsWith(prefix) ? fieldOfTerm(term)?.type : undefined
    if (!type) break
    const from = !isFound && term === start.term ? start.ordinal : 0
    const list = segment.list(entry)
    for (let b = 0; b < list.blocks; b++) {
      const size = list.ordinals(b, block)
      for (let i = 0; i < size; i++) {
        const ordinal = block[i]!
        if (ordinal < from || isTombstone(segment, ordinal)) continue
        if (!isFound) all.set(name, { term, ordinal })
        isFound = true
        yield { captureId: segment.columns.captureIds[ordinal]!, type }
      }
    }
  }
  if (!isFound) all.delete(name)
}

function* revisedHolders(segment: Segment, revisions: Revisions, name: string): Generator<FieldHolder> {
  const first = firstRowsOf(revisions).get(name) ?? revisions.ordinals.length
  for (let row = first; row < revisions.ordinals.length; row++) {
    const type = typesOfRow(revisions.metadata(row)).get(name)
    const ordinal = revisions.ordinals[row]!
    if (type && !isTombstone(segment, ordinal)) yield { captureId: segment.columns.captureIds[ordinal]!, type }
  }
}

const firstRows = new WeakMap<Revisions, ReadonlyMap<string, number>>()

/** Returns for each field the index of the first row that has the field. */
function firstRowsOf(revisions: Revisions): ReadonlyMap<string, number> {
  const known = firstRows.get(revisions)
  if (known) return known
  const rows = new Map<string, number>()
  for (let row = 0; row < revisions.ordinals.length; row++)
    for (const name of typesOfRow(revisions.metadata(row)).keys()) if (!rows.has(name)) rows.set(name, row)
  firstRows.set(revisions, rows)
  return rows
}

const typesOfRows = new WeakMap<SearchedMetadata, ReadonlyMap<string, FieldType>>()

function typesOfRow(metadata: SearchedMetadata): ReadonlyMap<string, FieldType> {
  const types = typesOfRows.get(metadata) ?? typesOfFields(parseFields(metadata.values))
  typesOfRows.set(metadata, types)
  return types
}

function isTombstone({ tombstones }: Segment, ordinal: number): boolean {
  return tombstones[lowerBound(tombstones, tombstones.length, ordinal)] === ordinal
}
