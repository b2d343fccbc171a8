import type { FieldType } from '@asof/extract/page'
import { lowerBound } from '../../bytes/binary-search.ts'
import { fieldOfTerm, fieldsPrefix } from '../../fields/field-terms.ts'
import { firstTerms, heldNames } from '../../fields/fields-of-segment.ts'
import { checkSearchTime } from '../../postings/search-time.ts'
import type { SegmentView } from '../../postings/segment-view.ts'
import type { Segment } from '../../segment/segment.ts'
import type { IndexFields } from '../collection/collection.ts'
import { revisionsColumn } from './field-columns.ts'
import { countPostings } from './term-column.ts'

/**
 * The fields that some capture or revision had up to an instant, superseded ones included, purged and expired ones excluded.
 * They depend on nothing that was acquired later.
 */
export class KnownFields implements IndexFields {
  readonly #views: readonly SegmentView[]
  readonly #types = new Map<string, FieldType | undefined>()

  constructor(views: readonly SegmentView[]) {
    this.#views = views
  }

  fieldType(field: string): FieldType | undefined {
    if (this.#types.has(field)) return this.#types.get(field)
    let type: FieldType | undefined
    for (const view of this.#views) type ??= acquiredType(view, field) ?? revisedType(view, field)
    this.#types.set(field, type)
    return type
  }

  /** The names of all fields. */
  fieldNames(): string[] {
    const names = new Set(this.#views.flatMap(({ segment }) => [...heldNames(segment)]))
    return [...names].filter(name => this.fieldType(name) !== undefined).sort()
  }

  valuesOf(field: string): number {
    let values = 0
    for (const view of this.#views) {
      const { segment, ordinalEnd } = view
      const isWhole = ordinalEnd === segment.captures && segment.tombstones.length === 0
      const counts = (ordinal: number): boolean => ordinal < ordinalEnd && !isTombstone(segment, ordinal)
      values += countPostings(segment, fieldsPrefix(field), isWhole ? undefined : counts)
      for (const _ of revisedTerms(view, field)) values++
    }
    return values
  }
}

/** A capture that has a field. */
interface Holder {
  ordinal: number
  type: FieldType
  /** True if no earlier capture of the segment has the field. */
  isFirst: boolean
}

/** For each segment and field a capture that has the field. Valid as long as the segment has the same tombstones. */
const holders = new WeakMap<Segment, { tombstones: Uint32Array; byField: Map<string, Holder> }>()

function acquiredType({ segment, ordinalEnd }: SegmentView, field: string): FieldType | undefined {
  const { tombstones } = segment
  let known = holders.get(segment)
  if (known?.tombstones !== tombstones) known = { tombstones, byField: new Map() }
  const before = known.byField.get(field)
  if (before && before.ordinal < ordinalEnd) return before.type
  if (before?.isFirst) return undefined
  let first: Holder | undefined
  // Usually the loop ends at the first term. Otherwise the first captures with the field may be later than the instant, and all terms of the
  // field are read once.
  for (const { type, ordinal } of firstTerms(segment, field)) {
    checkSearchTime()
    const holder = { ordinal: ordinal < 0 ? Number.POSITIVE_INFINITY : ordinal, type, isFirst: true }
    if (!first || holder.ordinal < first.ordinal) first = holder
    if (holder.ordinal < ordinalEnd) {
      first = { ...holder, isFirst: false }
      break
    }
  }
  if (!first) return undefined
  known.byField.set(field, first)
  holders.set(segment, known)
  return first.ordinal < ordinalEnd ? first.type : undefined
}

function revisedType(view: SegmentView, field: string): FieldType | undefined {
  const { value: term } = revisedTerms(view, field).next()
  return term === undefined ? undefined : fieldOfTerm(term)?.type
}

/** The terms of a field in the revisions up to the instant, once for each revision that has the term. */
function* revisedTerms({ segment, instant }: SegmentView, field: string): Generator<string> {
  const { revisions } = segment
  if (!revisions) return
  const column = revisionsColumn(revisions)
  const { from, to } = column.within({ prefix: fieldsPrefix(field) })
  for (let number = from; number < to; number++) {
    checkSearchTime()
    const postings = column.postingsOf({ from: number, to: number + 1 })
    for (let at = postings.from; at < postings.to; at++) {
      const row = column.ordinals[at]!
      if (revisions.at[row]! > instant || isTombstone(segment, revisions.ordinals[row]!)) continue
      yield column.term(number)
    }
  }
}

function isTombstone({ tombstones }: Segment, ordinal: number): boolean {
  return tombstones[lowerBound(tombstones, tombstones.length, ordinal)] === ordinal
}
