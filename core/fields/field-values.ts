import { AsofError, isPlainObject, shown } from '@asof/extract/errors'
import {
  allKinds,
  type FieldItem,
  type FieldKind,
  formsInWords,
  kindOfStored,
  RefusedValue,
  type StoredValue,
} from '@asof/extract/field-kinds'
import { type Fields, type FieldType, isFieldName, MAX_FIELDS, MAX_VALUES } from '@asof/extract/page'
import { parseInstant } from '../dates/instant.ts'

/** The fields of a page as they are stored in JSON, by name in ascending order. */
export type StoredFields = Readonly<Record<string, StoredValue | readonly StoredValue[]>>

/** Maximum length of all texts of a page together, UTF-16 units. */
export const MAX_TEXTS_UNITS = 100_000

/** Returns the error for an invalid field of a capture. */
export function invalidField(field: string, reason: string): AsofError {
  return invalidValue(`fields.${field}`, reason)
}

function invalidValue(path: string, reason: string): AsofError {
  return new AsofError('ASOF_INVALID_CAPTURE', `${path} ${reason}`, { details: { field: path } })
}

const FORMS = formsInWords(allKinds.map(({ forms }) => forms.value))

/**
 * Returns the stored form of a value.
 *
 * @param path - the name of the value in errors.
 * @throws ASOF_INVALID_CAPTURE, ASOF_INVALID_TIME
 */
function toStored(path: string, given: unknown): StoredValue {
  const value = dateInJson(given, path) ?? given
  for (const kind of allKinds) {
    const item = kind.accept(value)
    if (item === undefined) continue
    if (item instanceof RefusedValue) throw invalidValue(path, item.reason)
    return kind.store(item)
  }
  throw invalidValue(path, `is ${shown(value)}; a value must be ${FORMS}`)
}

/** A `Date` in JSON: `{ "$date": "2026-01-01T00:00:00Z" }`. */
export interface DateInJson {
  $date: string
}

/**
 * Returns the time of a {@link DateInJson}; undefined for any other value.
 *
 * @param path - the name of the value in errors.
 * @throws ASOF_INVALID_TIME - `$date` is neither a date nor a timestamp.
 */
export function dateInJson(value: unknown, path: string): Date | undefined {
  if (typeof value !== 'object' || value === null || !('$date' in value)) return undefined
  if (typeof value.$date !== 'string' || Object.keys(value).length !== 1) return undefined
  return withExpandedYear(value.$date) ?? new Date(parseInstant(value.$date, path))
}

/** Reads an instant outside the years 0 to 9999 as {@link fieldsInJson} writes it. Times of callers have years of four digits. */
function withExpandedYear(text: string): Date | undefined {
  if (!/^[-+]\d{6}-/.test(text)) return undefined
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text ? date : undefined
}

/** Converts fields to the JSON that `add` accepts. An instant becomes `{ "$date": "2026-01-01T00:00:00.000Z" }`. */
export function fieldsInJson(fields: Fields): Record<string, unknown> {
  const json = (value: unknown) => (value instanceof Date ? { $date: value.toISOString() } : value)
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, Array.isArray(value) ? value.map(json) : json(value)]),
  )
}

/**
 * Checks the fields of a capture. Leaves out fields without a value: `undefined`, `null` or an empty list. Also leaves out
 * the wrong values of a list, with a warning: values that no field can have, and values of another type than most of the list. The
 * commit compares the types with those of the index.
 *
 * @param onWarning - called for each value that is left out.
 * @throws ASOF_INVALID_CAPTURE - `details.field` names the field.
 */
export function checkFields(
  input: unknown,
  onWarning: (warning: { field: string; reason: string }) => void = () => {},
): StoredFields | undefined {
  if (!isPlainObject(input))
    throw new AsofError('ASOF_INVALID_CAPTURE', `fields is ${shown(input)}; it must be a plain object`, {
      details: { field: 'fields' },
    })
  const names = Object.keys(input)
  if (names.length > MAX_FIELDS)
    throw new AsofError('ASOF_INVALID_CAPTURE', `there are ${names.length} fields; a page has at most ${MAX_FIELDS}`, {
      details: { field: 'fields' },
    })
  const fields: Record<string, StoredValue | StoredValue[]> = {}
  for (const name of names.sort()) {
    const value = input[name]
    if (value === undefined || value === null) continue
    if (!isFieldName(name))
      throw invalidField(shown(name), 'is not a name of a field: letters, digits, _, - and ., and not all, any or not')
    if (!Array.isArray(value)) {
      fields[name] = toStored(`fields.${name}`, value)
      continue
    }
    if (value.length > MAX_VALUES)
      throw invalidField(name, `has ${value.length} values; a field has at most ${MAX_VALUES}`)
    const checked = checkList(value, reason => onWarning({ field: `fields.${name}`, reason }))
    if (checked.length > 0) fields[name] = checked
  }
  const units = textsOfFields(fields)
    .flatMap(({ texts }) => texts)
    .reduce((sum, text) => sum + text.length, 0)
  if (units > MAX_TEXTS_UNITS)
    throw new AsofError(
      'ASOF_INVALID_CAPTURE',
      `the texts of fields have ${units} UTF-16 units; those of a page have at most ${MAX_TEXTS_UNITS}`,
      { details: { field: 'fields' } },
    )
  return Object.keys(fields).length === 0 ? undefined : fields
}

/** Returns the values of a list without the wrong ones, see {@link checkFields}. */
function checkList(values: readonly unknown[], onWarning: (reason: string) => void): StoredValue[] {
  const found: { path: string; value: StoredValue }[] = []
  for (const [i, value] of values.entries()) {
    const path = `the value at ${i}`
    try {
      if (value === null || value === undefined) throw invalidValue(path, `is ${value}`)
      found.push({ path, value: toStored(path, value) })
    } catch (error) {
      if (!(error instanceof AsofError)) throw error
      onWarning(`${error.message}: left out`)
    }
  }
  const kind = mostFrequentKind(found.map(({ value }) => value))
  return found.flatMap(({ path, value }) => {
    if (kindOfStored(value) === kind) return [value]
    onWarning(`${path} is ${describeValue(value)}, unlike the others of type ${kind?.name}: left out`)
    return []
  })
}

/**
 * Returns the kind that most values have. Of two kinds with equally many values it is not `keyword`, because a string among other values
 * is a placeholder, such as "n/a".
 */
function mostFrequentKind(values: readonly StoredValue[]): FieldKind | undefined {
  const isKeyword = ({ name }: FieldKind) => Number(name === 'keyword')
  const [first] = [...Map.groupBy(values, kindOfStored)].sort(
    ([a, ofA], [b, ofB]) => ofB.length - ofA.length || isKeyword(a) - isKeyword(b),
  )
  return first?.[0]
}

/** Returns the error for a field whose values in the index have another type. */
export function otherType(name: string, value: StoredFields[string], type: FieldType): AsofError {
  const given = valuesOf(value).map(describeValue)[0]
  return invalidField(name, `is ${given}; in this index the field is of type ${type}`)
}

/** Describes a value and its type, for messages. */
function describeValue(value: StoredValue): string {
  const kind = kindOfStored(value)
  return describeItem(kind.show(value), kind)
}

/** Describes a value from a caller and its type, for messages. */
export function describeItem(value: FieldItem, { name }: FieldKind): string {
  return `${value instanceof Date ? value.toISOString() : shown(value)}, of type ${name}`
}

/** Returns fields as they are written to the index: JSON, or '' for none. */
export function writeFields(fields: StoredFields | undefined): string {
  return fields === undefined ? '' : JSON.stringify(fields)
}

/**
 * Parses what {@link writeFields} wrote.
 *
 * @throws ASOF_STORE_CORRUPT
 */
export function parseFields(values: string): StoredFields {
  try {
    return values === '' ? {} : (JSON.parse(values) as StoredFields)
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', 'the fields of a page are not JSON', { cause })
  }
}

/** Returns the type of each field. */
export function typesOfFields(fields: StoredFields): ReadonlyMap<string, FieldType> {
  return new Map(
    Object.entries(fields).flatMap(([name, value]) => {
      const [first] = valuesOf(value)
      return first === undefined ? [] : [[name, kindOfStored(first).name]]
    }),
  )
}

/** Converts stored fields to the form that callers see. */
export function shownFields(fields: StoredFields): Fields {
  const shown: Record<string, FieldItem | FieldItem[]> = {}
  for (const name of Object.keys(fields)) {
    const value = fields[name]!
    shown[name] = isList(value) ? value.map(show) : show(value)
  }
  return shown as Fields
}

function show(value: StoredValue): FieldItem {
  return kindOfStored(value).show(value)
}

/** The texts of a field. */
export interface TextsOfField {
  name: string
  texts: readonly string[]
}

/** Returns the fields that are texts, by name in ascending order. */
export function textsOfFields(fields: StoredFields): TextsOfField[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const texts = valuesOf(value).flatMap(one => kindOfStored(one).indexedText?.(one) ?? [])
    return texts.length === 0 ? [] : [{ name, texts }]
  })
}

/** Returns the values of a stored field. */
export function valuesOf(value: StoredFields[string]): readonly StoredValue[] {
  return isList(value) ? value : [value]
}

function isList(value: StoredFields[string]): value is readonly StoredValue[] {
  return Array.isArray(value)
}
