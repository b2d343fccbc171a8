import type { FieldType } from '../page.ts'
import { booleanField } from './boolean.ts'
import type { FieldItem, FieldKind, StoredValue } from './field-kind.ts'
import { instantField } from './instant.ts'
import { keywordField } from './keyword.ts'
import { numberField } from './number.ts'
import { textField } from './text.ts'

/** The kinds of fields by name. Everything that depends on the kind of a field asks this table. */
export const fieldKinds: Readonly<Record<FieldType, FieldKind>> = {
  keyword: keywordField,
  number: numberField,
  boolean: booleanField,
  instant: instantField,
  text: textField,
}

/** The same kinds as a list. */
export const allKinds: readonly FieldKind[] = Object.values(fieldKinds)

/** The names of the kinds. */
export const fieldTypes: readonly FieldType[] = allKinds.map(({ name }) => name)

/** Returns the kind of a stored value. */
export function kindOfStored(stored: StoredValue): FieldKind {
  // A loop, because `find` with a function takes most of the time of showing the fields of a result.
  for (const kind of allKinds) if (kind.isStored(stored)) return kind
  return found(undefined, stored)
}

/** Returns the kind of a value from a caller. */
export function kindOfItem(value: FieldItem): FieldKind {
  return found(
    allKinds.find(kind => kind.accept(value) !== undefined),
    value,
  )
}

function found(kind: FieldKind | undefined, value: unknown): FieldKind {
  if (!kind) throw new TypeError(`no field has a value such as ${JSON.stringify(value)}`)
  return kind
}

/** Lists kinds for an error, such as `numbers and instants`. */
export function kindsInWords(kinds: readonly FieldKind[]): string {
  return listed(
    kinds.map(({ name }) => `${name}s`),
    'and',
  )
}

/** Lists the forms of values for an error, such as `a string, a number or a boolean`. */
export function formsInWords(forms: readonly string[]): string {
  return listed(forms, 'or')
}

function listed(words: readonly string[], joint: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${joint} ${words.at(-1)}`
}
