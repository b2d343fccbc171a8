import type { FieldType } from '@asof/extract/page'
import type { Segment } from '../segment/segment.ts'
import { type FieldHolder, fieldHolders, heldNames } from './fields-of-segment.ts'

/** Maximum number of fields of an index. */
export const MAX_FIELD_NAMES = 1_000

/**
 * The types of the fields of an index. A field has the type of its values in captures and revisions, including
 * superseded ones, excluding purged and expired ones. The types are not stored but read from the segments. So a field
 * has no type when its last value is deleted. Nothing is read until a type is needed.
 */
export class FieldTypes {
  readonly #segments: readonly Segment[]
  readonly #isLeftOut: (captureId: number) => boolean
  readonly #holders = new Map<string, { current: FieldHolder | undefined; others: Iterator<FieldHolder, undefined> }>()

  /** @param isLeftOut - returns true for captures that do not count. Once it has returned true for a capture, it must always do so. */
  constructor(segments: readonly Segment[], isLeftOut: (captureId: number) => boolean) {
    this.#segments = segments
    this.#isLeftOut = isLeftOut
  }

  /** Returns the type of a field; undefined if no page has the field. */
  typeOf(name: string): FieldType | undefined {
    let known = this.#holders.get(name)
    if (!known) {
      const others = holdersIn(this.#segments, name)
      known = { current: others.next().value, others }
      this.#holders.set(name, known)
    }
    while (known.current && this.#isLeftOut(known.current.captureId)) known.current = known.others.next().value
    return known.current?.type
  }

  /** Returns the names of all fields. */
  names(): ReadonlySet<string> {
    const names = new Set(this.#segments.flatMap(segment => [...heldNames(segment)]))
    return new Set([...names].filter(name => this.typeOf(name) !== undefined))
  }
}

function* holdersIn(segments: readonly Segment[], name: string): Generator<FieldHolder, undefined> {
  for (const segment of segments) yield* fieldHolders(segment, name)
  return undefined
}
