import { AsofError } from '../errors.ts'
import type { Segment } from '../segment/segment.ts'
import { type FieldType, type StoredFields, type TypeRegistry, typeOf, valuesOf } from './field-values.ts'
import { fieldNames, firstTerms } from './fields-of-segment.ts'

/** Maximum number of fields of an index. */
export const MAX_FIELD_NAMES = 1_000

/**
 * The types of the fields of an index. They are read from its terms and revisions when the first fields are added, so that an
 * index without fields pays nothing.
 */
export class FieldTypes implements TypeRegistry {
  readonly #segments: () => readonly Segment[]
  #types: Map<string, FieldType> | undefined

  /** @param segments - returns the segments of the index. */
  constructor(segments: () => readonly Segment[]) {
    this.#segments = segments
  }

  fix(name: string, type: FieldType): FieldType {
    this.#types ??= typesIn(this.#segments())
    const known = this.#types.get(name)
    if (known !== undefined) return known
    if (this.#types.size >= MAX_FIELD_NAMES)
      throw new AsofError(
        'ASOF_INVALID_CAPTURE',
        `fields.${name} is new; an index has at most ${MAX_FIELD_NAMES} fields`,
        {
          details: { field: `fields.${name}` },
        },
      )
    this.#types.set(name, type)
    return type
  }
}

function typesIn(segments: readonly Segment[]): Map<string, FieldType> {
  const types = new Map<string, FieldType>()
  for (const segment of segments) {
    for (const name of fieldNames(segment)) {
      for (const { type, ordinal } of firstTerms(segment, name)) {
        if (ordinal < 0) continue
        types.set(name, type)
        break
      }
    }
    const { revisions } = segment
    if (!revisions) continue
    const tombstones = new Set(segment.tombstones)
    for (const [ordinal, rows] of revisions.byOrdinal())
      if (!tombstones.has(ordinal))
        for (const { fields } of rows)
          for (const [name, value] of Object.entries(revisedFields(fields.values)))
            for (const one of valuesOf(value)) types.set(name, typeOf(one))
  }
  return types
}

/** The fields of a row of revisions. */
export function revisedFields(values: string): StoredFields {
  return values === '' ? {} : (JSON.parse(values) as StoredFields)
}
