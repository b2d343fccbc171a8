import { AsofError, type FieldType, isAsofError } from '@asof/core'
import { invalidOption, shown, unknownName } from '@asof/extract/errors'
import { fieldKinds, fieldTypes, RefusedValue } from '@asof/extract/field-kinds'
import type { UnknownField } from './import-report.ts'
import { badRecord, recordFields } from './imported-record.ts'

/** How the properties of records become the fields of JSON Lines. */
export interface RecordMapping {
  /**
   * Which property or column of a record is which field of JSON Lines: `{ url: '_id', text: 'body' }`. A name with dots reaches into objects:
   * `'_source.body'`. `fields.NAME` is a field to filter by. `fields.NAME:TYPE` also reads a value as a `number`, `boolean`, `instant` or `text`, whose words are searched. Other
   * properties that JSON Lines do not have are then ignored without a note. Default: every name means itself.
   */
  map?: Readonly<Record<string, string>>
  /** Base of URLs that are not absolute. Default: such URLs are errors. */
  baseUrl?: string
}

/** One entry of a map: a field of JSON Lines, and the property of the record that it is read from. */
interface MapEntry {
  /** `url`, or `fields`. */
  target: string
  /** The name of the field, if the target is `fields.NAME`. */
  field?: string
  type?: FieldType
  source: string
}

/** Renames the properties of imported records to the fields of JSON Lines. */
export class RecordMap {
  /** True if the caller gave a map. */
  readonly isGiven: boolean
  readonly #entries: readonly MapEntry[]
  readonly #baseUrl: string | undefined
  readonly #found = new Set<string>()

  /** @throws ASOF_INVALID_OPTION - `details.field` is `map` or `baseUrl`. */
  constructor({ map, baseUrl }: RecordMapping) {
    this.isGiven = map !== undefined
    this.#entries = Object.entries(map ?? {}).map(([target, source]) => entryOf(target, source))
    if (baseUrl !== undefined && !URL.canParse(baseUrl)) throw invalidOption('baseUrl', 'must be an absolute URL')
    this.#baseUrl = baseUrl
  }

  /**
   * Returns a record with the names of JSON Lines. A value that is not an object is returned as it is.
   *
   * @param onWarning - called for each value of a list that is left out, because it is not of the type of its field.
   */
  apply(record: unknown, onWarning: OnBadValue = () => {}): unknown {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return record
    const given = record as Record<string, unknown>
    const columns = Object.keys(given).filter(name => name.startsWith('fields.'))
    if (this.#entries.length === 0 && columns.length === 0 && this.#baseUrl === undefined) return record
    const mapped = { ...given }
    const fields: Record<string, unknown> = isObject(given.fields) ? { ...given.fields } : {}
    for (const column of columns) {
      delete mapped[column]
      if (!isPresent(given[column])) continue
      const { field, ...entry } = entryOfColumn(column)
      if (field !== undefined) fields[field] = typedValue(given[column], { field, ...entry }, onWarning)
    }
    for (const { source, target } of this.#entries) if (source !== target) delete mapped[source]
    for (const entry of this.#entries) {
      const value = valueAt(given, entry.source)
      if (!isPresent(value)) continue
      this.#found.add(entry.source)
      if (entry.field === undefined) mapped[entry.target] = textIfText(entry.target, value)
      else fields[entry.field] = typedValue(value, entry, onWarning)
    }
    if (Object.keys(fields).length > 0) mapped.fields = fields
    if (this.#baseUrl !== undefined && typeof mapped.url === 'string')
      mapped.url = URL.parse(mapped.url, this.#baseUrl)?.href ?? mapped.url
    return mapped
  }

  /** Returns an error about a record that also has the names of the record, where the map changes them. */
  inSourceNames(error: AsofError): AsofError {
    const message = error.message.replace(/^[a-z_]+(?=:)/, name => {
      const entry = this.#entries.find(({ target }) => target === name)
      return entry && entry.source !== name ? `${name} (${entry.source})` : name
    })
    return new AsofError('ASOF_INVALID_CAPTURE', message, { cause: error, details: error.details })
  }

  /** Returns a note for each name of the map that no record has. */
  neverFound(): UnknownField[] {
    return this.#entries
      .filter(({ source }) => !this.#found.has(source))
      .map(({ source }) => ({ where: 'map', field: source, hint: 'no record has it' }))
  }
}

function entryOf(target: string, source: unknown): MapEntry {
  if (typeof source !== 'string' || source === '')
    throw invalidOption('map', `gives ${target} ${shown(source)}; it must be the name of a property or column`)
  const [, field, type] = /^fields\.([^:]+)(?::(\w+))?$/.exec(target) ?? []
  if (field === undefined) {
    if (!recordFields.includes(target))
      throw invalidOption(
        'map',
        `has the unknown field ${shown(target)}; ${unknownName(target, recordFields).hint}, or fields.NAME`,
      )
    return { target, source }
  }
  const known = fieldTypes.find(one => one === type)
  if (type !== undefined && known === undefined)
    throw invalidOption('map', `gives ${field} the type ${shown(type)}; it must be one of ${fieldTypes.join(', ')}`)
  return { target: 'fields', field, source, type: known }
}

/** @throws ASOF_INVALID_CAPTURE - the property is not `fields.NAME` or `fields.NAME:TYPE`. Such a record must not end the import. */
function entryOfColumn(column: string): MapEntry {
  try {
    return entryOf(column, column)
  } catch (error) {
    if (!isAsofError(error, 'ASOF_INVALID_OPTION')) throw error
    throw badRecord(
      `the property ${shown(column)} is not fields.NAME or fields.NAME:TYPE; types are ${fieldTypes.join(', ')}`,
    )
  }
}

/** Returns the value of a property, or at a path of properties with dots between them. */
function valueAt(record: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(record, name)) return record[name]
  let value: unknown = record
  for (const part of name.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined
    value = value[part]
  }
  return value
}

/** Returns a number or boolean as text, for fields that are texts: identifiers and titles are often numbers. */
function textIfText(target: string, value: unknown): unknown {
  const isInstant = target.endsWith('_at') || target === 'unchanged_since'
  return !isInstant && ['number', 'boolean', 'bigint'].includes(typeof value) ? String(value) : value
}

/** Receives a value that is left out: the name of its field, such as `fields.price`, and the reason. */
export type OnBadValue = (warning: { field: string; reason: string }) => void

function typedValue(value: unknown, entry: MapEntry, onWarning: OnBadValue): unknown {
  if (!Array.isArray(value)) return typedScalar(value, entry)
  return value.flatMap((one, i) => {
    if (one === undefined || one === null) return [one]
    try {
      return [typedScalar(one, entry)]
    } catch (error) {
      if (!isAsofError(error, 'ASOF_INVALID_CAPTURE')) throw error
      onWarning({ field: `fields.${entry.field}`, reason: `the value at ${i}: ${error.message}: left out` })
      return []
    }
  })
}

function typedScalar(value: unknown, { field, type, source }: MapEntry): unknown {
  if (Array.isArray(value)) throw badRecord(`fields.${field}: ${source} has a list in a list`)
  if (type === undefined) return value
  const read = fieldKinds[type].fromRecord(value)
  if (read instanceof RefusedValue) throw badRecord(`fields.${field} ${read.reason}`)
  if (read === undefined) throw badRecord(`fields.${field}: ${shown(value)} in ${source} is not of type ${type}`)
  return read
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}
