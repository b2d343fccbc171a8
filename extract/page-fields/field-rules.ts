import { parse, type Selector } from 'css-what'
import { invalidOption, isPlainObject } from '../errors/options.ts'
import { shown } from '../errors/shown-value.ts'
import { messageOf } from '../errors/thrown.ts'
import { unknownName } from '../errors/unknown-name.ts'
import { fieldTypes } from '../field-kinds/field-kinds.ts'
import { type FieldType, isFieldName, MAX_FIELDS } from '../page.ts'
import { checkSelector } from './css-elements.ts'
import { typeOfProperty } from './property-types.ts'

/**
 * Where a page has the values of a field:
 *
 * - `json-ld: offers.price`: a path of properties in the JSON-LD. A first name in upper case is a type: `Product.offers.price`.
 * - `microdata: offers.price`: the same in the microdata.
 * - `meta: product:price:amount`: the content of the meta elements with this `name`, `property`, `itemprop` or `http-equiv`.
 * - `css: .byline a`: the text of the elements that a CSS selector matches. `css: a.buy::attr(href)` takes an attribute instead.
 */
export type FieldSource = string

/** How a field is read from a page. */
export interface FieldRule {
  /** One source, or several of which the first that has a value is used. At most 8. */
  from: FieldSource | readonly FieldSource[]
  /**
   * The type of the values. A value that cannot be read as this type is left out. Default: the type that schema.org gives the property at
   * the end of the first source, if that is a path of JSON-LD or microdata, such as number for `price`; otherwise keyword.
   */
  type?: FieldType
  /** `first` if only the first value of a page counts. Default `all`, at most 256. */
  values?: 'first' | 'all'
}

/** The fields to read from pages, by name. A source or a list of sources is short for a rule without options. At most 64. */
export type FieldRules = Readonly<Record<string, FieldSource | readonly FieldSource[] | FieldRule>>

/** A source that has been parsed. */
export type ParsedSource =
  | { kind: 'json-ld' | 'microdata'; type: string | undefined; path: readonly string[] }
  | { kind: 'meta'; name: string }
  | { kind: 'css'; selector: string; attribute: string | undefined }

/** A rule that has been checked, with its defaults. */
export interface ParsedRule {
  name: string
  type: FieldType
  isFirstOnly: boolean
  sources: readonly ParsedSource[]
}

export interface ParsedRules {
  rules: readonly ParsedRule[]
  /** The attributes that the selectors read. The parser of a page must keep them too, because it keeps only some attributes by default. */
  attributes: readonly string[]
}

const MAX_SOURCES = 8
const MAX_SOURCE_UNITS = 1_000
const MAX_PATH_NAMES = 16
const kinds = ['json-ld', 'microdata', 'meta', 'css'] as const

/**
 * Checks rules and parses their sources.
 *
 * @throws ASOF_INVALID_OPTION - `details.field` is the path of the wrong part, such as `fields.price.type`.
 */
export function parseFieldRules(given: FieldRules): ParsedRules {
  if (!isPlainObject(given)) throw invalidOption('fields', `must be an object of rules by field, not ${shown(given)}`)
  const entries = Object.entries(given)
  if (entries.length > MAX_FIELDS)
    throw invalidOption('fields', `has ${entries.length} fields; a page has at most ${MAX_FIELDS}`)
  const rules = entries.map(([name, rule]) => parseRule(name, rule))
  const attributes = new Set<string>()
  for (const source of rules.flatMap(({ sources }) => sources)) {
    if (source.kind !== 'css') continue
    if (source.attribute !== undefined) attributes.add(source.attribute)
    addAttributes(parse(source.selector), attributes)
  }
  return { rules, attributes: [...attributes] }
}

function parseRule(name: string, given: unknown): ParsedRule {
  const path = `fields.${name}`
  if (!isFieldName(name)) throw invalidOption(path, 'is not a name of a field: letters, digits, _, - and .')
  const isShort = typeof given === 'string' || Array.isArray(given)
  if (!isShort && !isPlainObject(given))
    throw invalidOption(path, `must be a source, a list of sources, or { from, type, values }, not ${shown(given)}`)
  const rule = (isShort ? { from: given } : given) as Record<string, unknown>
  for (const key of Object.keys(rule))
    if (key !== 'from' && key !== 'type' && key !== 'values')
      throw invalidOption(`${path}.${key}`, `is unknown; ${unknownName(key, ['from', 'type', 'values']).hint}`)
  const { from, type, values = 'all' } = rule
  const known = fieldTypes.find(one => one === type)
  if (type !== undefined && known === undefined)
    throw invalidOption(`${path}.type`, `is ${shown(type)}; it must be one of ${fieldTypes.join(', ')}`)
  if (values !== 'all' && values !== 'first')
    throw invalidOption(`${path}.values`, `is ${shown(values)}; it must be first or all`)
  const at = isShort ? path : `${path}.from`
  const list: unknown[] = Array.isArray(from) ? from : [from]
  if (list.length === 0 || list.length > MAX_SOURCES)
    throw invalidOption(at, `has ${list.length} sources; it must have 1 to ${MAX_SOURCES}`)
  const sources = list.map((source, i) => parseSource(source, Array.isArray(from) ? `${at}[${i}]` : at))
  return {
    name,
    type: known ?? defaultType(sources[0]!),
    isFirstOnly: values === 'first',
    sources,
  }
}

function defaultType(source: ParsedSource): FieldType {
  return 'path' in source ? (typeOfProperty(source.path.at(-1)!) ?? 'keyword') : 'keyword'
}

function parseSource(given: unknown, at: string): ParsedSource {
  const [, kind, rest = ''] = (typeof given === 'string' && /^\s*([a-z-]+):\s*(.*?)\s*$/s.exec(given)) || []
  if (typeof given !== 'string' || !kinds.some(known => known === kind) || rest === '')
    throw invalidOption(
      at,
      `is ${shown(given)}; a source is "json-ld: offers.price", "microdata: offers.price", "meta: name" or "css: .price"`,
    )
  if (given.length > MAX_SOURCE_UNITS) throw invalidOption(at, `has more than ${MAX_SOURCE_UNITS} characters`)
  if (kind === 'meta') return { kind, name: rest.toLowerCase() }
  return kind === 'css' ? cssSource(rest, at) : pathSource(kind as 'json-ld' | 'microdata', rest, at)
}

function pathSource(kind: 'json-ld' | 'microdata', text: string, at: string): ParsedSource {
  const names = text.split('.')
  if (names.length > MAX_PATH_NAMES || !names.every(name => /^@?[\w:-]{1,100}$/.test(name)))
    throw invalidOption(
      at,
      `has the path ${shown(text)}; a path has up to ${MAX_PATH_NAMES} names of properties with dots between them`,
    )
  const [first = '', ...others] = names
  const isType = /^[A-Z]/.test(first)
  if (isType && others.length === 0) throw invalidOption(at, `names the type ${first}, but no property of it`)
  return { kind, type: isType ? first : undefined, path: isType ? others : names }
}

function cssSource(text: string, at: string): ParsedSource {
  const [, own, attribute] = /^(.*?)(?:::attr\(\s*([\w:-]{1,64})\s*\))?$/s.exec(text) ?? []
  const selector = own?.trim() ?? ''
  try {
    if (selector === '') throw new Error('it has no selector')
    checkSelector(selector)
  } catch (cause) {
    const why = messageOf(cause)
    throw invalidOption(at, `has the CSS selector ${shown(selector)}, which is not valid: ${why}`)
  }
  return { kind: 'css', selector, attribute: attribute?.toLowerCase() }
}

/** Adds the attributes that a selector tests, also inside of `:is()`, `:not()`, `:has()` and `:nth-child(… of …)`. */
function addAttributes(selectors: readonly (readonly Selector[])[], attributes: Set<string>): void {
  for (const token of selectors.flat()) {
    if (token.type === 'attribute') attributes.add(token.name.toLowerCase())
    if (token.type !== 'pseudo') continue
    const isNth = token.name.startsWith('nth-')
    const [, nested] = (isNth && typeof token.data === 'string' && /\sof\s+(.+)$/is.exec(token.data)) || []
    if (nested !== undefined) addAttributes(parse(nested), attributes)
    else if (Array.isArray(token.data)) addAttributes(token.data, attributes)
    // A pseudo-class such as `:checked`, which css-select replaces by a test of attributes.
    else for (const name of attributesOfStates) attributes.add(name)
  }
}

const attributesOfStates = ['checked', 'disabled', 'multiple', 'readonly', 'required', 'selected']
