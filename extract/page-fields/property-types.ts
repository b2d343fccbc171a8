import { allKinds } from '../field-kinds/field-kinds.ts'
import type { FieldType } from '../page.ts'

const types: ReadonlyMap<string, FieldType> = new Map(
  allKinds.flatMap(({ name, properties = '' }) =>
    properties
      .split(/\s+/)
      .filter(property => property !== '')
      .map(property => [property, name]),
  ),
)

/** Returns the type of the values that schema.org expects of a property; undefined for texts, items and unknown properties. */
export function typeOfProperty(name: string): FieldType | undefined {
  return types.get(name)
}
