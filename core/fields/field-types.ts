import type { Segment } from '../segment/segment.ts'
import type { FieldType } from './field-values.ts'
import { type FieldHolder, fieldHolders, heldNames } from './fields-of-segment.ts'

/** Maximum number of fields of an index. */
export const MAX_FIELD_NAMES = 1_000

/**
 * The types that the fields of an index have: those of the values of its captures and revisions, superseded ones included,
 * purged and expired ones excluded. They are read from the segments and kept nowhere else, so that a running index and a
 * reopened one agree, and a field whose last value has gone has no type. A field that nobody asks about costs nothing.
 */
export class FieldTypes {
  readonly #segments: readonly Segment[]
  readonly #isLeftOut: (captureId: number) => boolean
  readonly #holders = new Map<string, { current: FieldHolder | undefined; others: Iterator<FieldHolder, undefined> }>()

  /** @param isLeftOut - true for captures that do not count. A capture that was left out once stays so. */
  constructor(segments: readonly Segment[], isLeftOut: (captureId: number) => boolean) {
    this.#segments = segments
    this.#isLeftOut = isLeftOut
  }

  /** The type of a field; undefined if nothing has the field. */
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

  /** The names of all fields. */
  names(): ReadonlySet<string> {
    const names = new Set(this.#segments.flatMap(segment => [...heldNames(segment)]))
    return new Set([...names].filter(name => this.typeOf(name) !== undefined))
  }
}

function* holdersIn(segments: readonly Segment[], name: string): Generator<FieldHolder, undefined> {
  for (const segment of segments) yield* fieldHolders(segment, name)
  return undefined
}
