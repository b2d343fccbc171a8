import { isPlainObject, shown, unknownName } from '@asof/extract/errors'
import { fieldPath } from '../../crawler/field-reason.ts'
import type { FieldProblem } from '../contract/error-schema.ts'
import { refusedFields } from '../contract/errors.ts'

/** A value of a property without properties of its own. */
export type Scalar = string | number | boolean

/** A schema whose values have no properties. */
export interface LeafSchema {
  kind: 'leaf'
  type: 'string' | 'number' | 'integer' | 'boolean'
  format?: 'date' | 'date-time' | 'uri'
  /** The only values that are taken. */
  allowed?: readonly Scalar[]
  /** The limits of numbers and of the lengths of strings. */
  limits: Readonly<Partial<Record<Limit, number>>>
  /** The `title` of the schema: further words of the label. */
  title?: string
  description?: string
}

export interface ListSchema {
  kind: 'list'
  items: LeafSchema | ObjectSchema
  /** Maximum number of items. */
  most: number
  title?: string
}

export interface ObjectSchema {
  kind: 'object'
  properties: readonly Property[]
  /** The `title` of the schema: the schema.org type of the object, if it is one. */
  title?: string
}

export interface Property {
  name: string
  schema: ValueSchema
}

/** The schema of a value: the part of JSON Schema that the extraction of values supports. */
export type ValueSchema = LeafSchema | ListSchema | ObjectSchema

type Limit = (typeof limitsOfNumbers)[number] | (typeof limitsOfStrings)[number]

const MAX_DEPTH = 4
const MAX_PROPERTIES = 64
const MAX_NAME_CHARS = 100
const MAX_TEXT_CHARS = 1_000
const MAX_ALLOWED = 200
const MAX_ITEMS = 100
/** Maximum number of problems that one error names. */
const MAX_PROBLEMS = 20

const limitsOfNumbers = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const
const limitsOfStrings = ['minLength', 'maxLength'] as const
const formats = ['date', 'date-time', 'uri'] as const
const scalarTypes = ['string', 'number', 'integer', 'boolean'] as const

/** Keywords that say nothing about the values, except `title` and `description`. A `default` is never filled in. */
const annotations = ['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'deprecated']
const everywhere = [...annotations, 'type', 'nullable']
const keywords: Readonly<Record<string, readonly string[]>> = {
  object: [...everywhere, 'properties', 'required', 'additionalProperties'],
  array: [...everywhere, 'items', 'maxItems'],
  string: [...everywhere, 'enum', 'const', 'format', ...limitsOfStrings],
  number: [...everywhere, 'enum', 'const', ...limitsOfNumbers],
  integer: [...everywhere, 'enum', 'const', ...limitsOfNumbers],
  boolean: [...everywhere, 'enum', 'const'],
}

/**
 * Reads a JSON Schema.
 *
 * @throws ServiceError invalid_request - `details` has the path of every wrong part, such as `schema.properties.price.pattern`.
 */
export function parseValueSchema(given: unknown): ObjectSchema {
  const reader = new SchemaReader()
  const read = reader.schema(given, ['schema'], 1)
  if (read && read.kind !== 'object') reader.refuse(['schema', 'type'], 'must be object')
  if (reader.problems.length > 0) throw refusedFields('invalid_request', reader.problems)
  if (read?.kind !== 'object') throw new Error('a schema was neither read nor refused')
  return read
}

type Path = readonly string[]
type Keywords = Readonly<Record<string, unknown>>

class SchemaReader {
  readonly problems: FieldProblem[] = []
  #properties = 0

  refuse(path: Path, reason: string): undefined {
    const shownPath = fieldPath(path.map(part => part.slice(0, MAX_NAME_CHARS)))
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ path: shownPath, reason })
  }

  /**
   * @param depth - the number of objects around and with this schema, if it is an object.
   * @param isItem - true for the schema of the items of an array.
   */
  schema(given: unknown, path: Path, depth: number, isItem = false): ValueSchema | undefined {
    if (!isPlainObject(given)) return this.refuse(path, `must be an object, not ${shown(given)}`)
    const own = this.#withoutNull(given)
    const type = this.#typeOf(own, path)
    if (type === undefined) return undefined
    if (type === 'array' && isItem) return this.refuse(path, 'is an array; arrays of arrays are not supported')
    const known = keywords[type] ?? everywhere
    for (const keyword of Object.keys(own)) {
      if (known.includes(keyword)) continue
      const hint =
        refusedKeywords[keyword] ?? `is not supported for the type ${type}; ${unknownName(keyword, known).hint}`
      this.refuse([...path, keyword], hint)
    }
    const texts = { ...this.#text(own, 'title', path), ...this.#text(own, 'description', path) }
    if (type === 'object') return this.#object(own, path, depth, texts)
    if (type === 'array') return this.#list(own, path, depth, texts)
    return this.#leaf(type, own, path, texts)
  }

  /** Returns the one alternative of `anyOf` or `oneOf` beside null, as libraries write a value that may be null. */
  #withoutNull(given: Keywords): Keywords {
    const { anyOf, oneOf, ...own } = given
    const [alternatives, ...others] = [anyOf, oneOf].filter(list => list !== undefined)
    if (!Array.isArray(alternatives) || others.length > 0) return given
    const [only, ...more] = alternatives.filter(one => !(isPlainObject(one) && one.type === 'null'))
    return isPlainObject(only) && more.length === 0 ? { ...only, ...own } : given
  }

  #typeOf({ type, enum: allowed, const: only, properties, items, ...own }: Keywords, path: Path): string | undefined {
    for (const keyword of Object.keys(own))
      if (refusedKeywords[keyword] !== undefined && type === undefined)
        return this.refuse([...path, keyword], refusedKeywords[keyword])
    const [named, ...others] = (Array.isArray(type) ? type : [type]).filter(one => one !== 'null')
    if (others.length > 0) return this.refuse([...path, 'type'], 'must be one type, or one type and null')
    if (named !== undefined) {
      if (typeof named === 'string' && Object.hasOwn(keywords, named)) return named
      return this.refuse([...path, 'type'], `is ${shown(named)}; it must be one of ${Object.keys(keywords).join(', ')}`)
    }
    if (properties !== undefined) return 'object'
    if (items !== undefined) return 'array'
    const [first] = (Array.isArray(allowed) ? allowed : [only]).filter(value => value !== null)
    const inferred = scalarTypes.find(one => one === typeof first)
    return inferred ?? this.refuse([...path, 'type'], `is required: one of ${Object.keys(keywords).join(', ')}`)
  }

  #text(own: Keywords, name: 'title' | 'description', path: Path): Partial<Record<typeof name, string>> {
    const text = own[name]
    if (text === undefined) return {}
    if (typeof text === 'string' && text.length <= MAX_TEXT_CHARS) return { [name]: text }
    this.refuse([...path, name], `must be a string of at most ${MAX_TEXT_CHARS} characters`)
    return {}
  }

  #object(own: Keywords, path: Path, depth: number, { title }: Texts): ObjectSchema | undefined {
    const { properties, required = [], additionalProperties } = own
    if (depth > MAX_DEPTH) return this.refuse(path, `is nested too deep: at most ${MAX_DEPTH} objects in one another`)
    if (!isPlainObject(properties)) return this.refuse([...path, 'properties'], 'must be an object of schemas by name')
    const given = Object.entries(properties)
    if (given.length === 0) return this.refuse([...path, 'properties'], 'must have at least one property')
    this.#properties += given.length
    if (this.#properties > MAX_PROPERTIES)
      return this.refuse([...path, 'properties'], `the schema has over ${MAX_PROPERTIES} properties`)
    if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean')
      this.refuse([...path, 'additionalProperties'], 'must be true or false; only properties that have names are read')
    if (
      !Array.isArray(required) ||
      !required.every(name => typeof name === 'string' && Object.hasOwn(properties, name))
    )
      this.refuse([...path, 'required'], 'must be a list of names of properties')
    const read = given.flatMap(([name, inner]) => {
      const at = [...path, 'properties', name]
      if (name === '' || name === '__proto__' || name.length > MAX_NAME_CHARS) {
        this.refuse(at, `is not a name of a property: 1 to ${MAX_NAME_CHARS} characters`)
        return []
      }
      const schema = this.schema(inner, at, depth + 1)
      return schema ? [{ name, schema }] : []
    })
    return { kind: 'object', properties: read, title }
  }

  #list({ items, maxItems }: Keywords, path: Path, depth: number, { title }: Texts): ListSchema | undefined {
    const at = [...path, 'items']
    const read = this.schema(items, at, depth, true)
    if (maxItems !== undefined && !isCount(maxItems))
      this.refuse([...path, 'maxItems'], 'must be a whole number from 0')
    if (!read || read.kind === 'list') return undefined
    return { kind: 'list', items: read, most: isCount(maxItems) ? Math.min(maxItems, MAX_ITEMS) : MAX_ITEMS, title }
  }

  #leaf(type: string, own: Keywords, path: Path, texts: Texts): LeafSchema | undefined {
    const scalar = scalarTypes.find(one => one === type)
    if (scalar === undefined) return undefined
    const format = formats.find(one => one === own.format)
    if (own.format !== undefined && format === undefined)
      this.refuse([...path, 'format'], `is ${shown(own.format)}; it must be one of ${formats.join(', ')}`)
    const limits: Partial<Record<Limit, number>> = {}
    for (const name of [...limitsOfNumbers, ...limitsOfStrings]) {
      const limit = own[name]
      if (typeof limit === 'number') limits[name] = limit
      else if (limit !== undefined) this.refuse([...path, name], 'must be a number')
    }
    return { kind: 'leaf', type: scalar, format, allowed: this.#allowed(own, scalar, path), limits, ...texts }
  }

  #allowed(own: Keywords, type: LeafSchema['type'], path: Path): readonly Scalar[] | undefined {
    if (own.enum === undefined && own.const === undefined) return undefined
    const name = own.enum === undefined ? 'const' : 'enum'
    const given: unknown = own.enum ?? [own.const]
    const values = Array.isArray(given) ? given.filter(value => value !== null) : []
    const expected = type === 'integer' ? 'number' : type
    const isOfType = (value: unknown): value is Scalar =>
      typeof value === expected && (typeof value !== 'string' || value.length <= MAX_NAME_CHARS)
    if (values.length > 0 && values.length <= MAX_ALLOWED && values.every(isOfType)) return values
    return this.refuse([...path, name], `must have 1 to ${MAX_ALLOWED} values of the type ${type}, not too long`)
  }
}

type Texts = Pick<LeafSchema, 'title' | 'description'>

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Why keywords of JSON Schema that callers often use are refused. */
const refusedKeywords: Readonly<Record<string, string>> = {
  $ref: 'references are not supported; write the schema in its place',
  $defs: 'references are not supported; write each schema where it is used',
  definitions: 'references are not supported; write each schema where it is used',
  pattern: 'regular expressions are not supported',
  patternProperties: 'regular expressions are not supported',
  anyOf: 'alternatives are not supported, except one schema and {"type": "null"}',
  oneOf: 'alternatives are not supported, except one schema and {"type": "null"}',
  allOf: 'is not supported; write one schema',
}
