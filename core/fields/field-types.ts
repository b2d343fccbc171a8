import { AsofError } from '../errors.ts'
import type { Segment } from '../segment/segment.ts'
import { fieldOfTerm, fieldsPrefix } from './field-terms.ts'
import { type FieldType, type StoredFields, type TypeRegistry, typeOf, valuesOf } from './field-values.ts'

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
  for (const { dictionary, revisions } of segments) {
    // One look-up for each field: the next one begins behind all terms of the field before.
    for (let from = fieldsPrefix(); ; ) {
      const { value: entry } = dictionary.entries(from).next()
      const field = entry === undefined ? undefined : fieldOfTerm(entry.term)
      if (!field) break
      types.set(field.name, field.type)
      // '>' is the character after '='.
      from = `${fieldsPrefix()}${field.name}>`
    }
    for (const { rows } of revisions ? rowsOf(revisions) : [])
      for (const { fields } of rows)
        for (const [name, value] of Object.entries(revisedFields(fields.values)))
          for (const one of valuesOf(value)) types.set(name, typeOf(one))
  }
  return types
}

function rowsOf(revisions: NonNullable<Segment['revisions']>) {
  return [...revisions.byOrdinal().values()].map(rows => ({ rows }))
}

/** The fields of a row of revisions. */
export function revisedFields(values: string): StoredFields {
  return values === '' ? {} : (JSON.parse(values) as StoredFields)
}
