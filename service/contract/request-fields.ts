import { unknownName } from '@asof/extract/errors'
import { parseExactJson } from '@asof/extract/exact-json'
import { z } from 'zod'
import { fieldPath, fieldReasons } from '../../crawler/field-reason.ts'
import { deletionRequest } from './deletion-schemas.ts'
import type { FieldProblem } from './error-schema.ts'
import { refusedFields, ServiceError } from './errors.ts'
import { inexactIntegers } from './inexact-integers.ts'

/** Maximum number of reported fields, so that a hostile body can't cause a large response. */
const MAX_PROBLEMS = 100
const MAX_NAME_CHARS = 100

/** The names that other search APIs use for fields, with asof's names. */
const synonyms: Readonly<Record<string, string>> = {
  limit: 'max_results',
  count: 'max_results',
  size: 'max_results',
  asof: 'query_time',
  q: 'query',
  domain: 'site',
  maxlength: 'max_chars',
  numresults: 'max_results',
  topk: 'max_results',
  domains: 'sites',
  includedomains: 'sites',
  excludedomains: 'exclude_sites',
  startpublisheddate: 'published_after',
  endpublisheddate: 'published_before',
}

/** The fields of a request by name. */
type Fields = Readonly<Record<string, unknown>>

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Copies a request without some of its fields, or with valid values in their place. `fromEntries` keeps a field named `__proto__` as an
 * ordinary field.
 */
function replaced(request: Fields, names: ReadonlySet<string>, standIn: Fields): Record<string, unknown> {
  const kept = Object.entries(request).filter(([name]) => !names.has(name))
  return Object.fromEntries([...kept, ...Object.entries(standIn).filter(([name]) => names.has(name))])
}

/** Number of objects and lists around a value. No schema of a request is deeper, except in a filter. */
const MAX_DEPTH = 3

/**
 * Copies a request without the members that are null, because `null` means absent. A filter is left to the engine, which refuses a null
 * that would make it match more pages.
 */
function withoutNulls(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map(item => withoutNulls(item, depth + 1))
  if (!isRecord(value)) return value
  const members = Object.entries(value).filter(([, member]) => member !== null)
  return Object.fromEntries(
    members.map(([name, member]) => [name, name === 'filter' ? member : withoutNulls(member, depth + 1)]),
  )
}

interface Read<Request> {
  /** The request without its invalid fields, or with valid values in their place. Absent if it is still invalid. */
  request?: Request
  problems: FieldProblem[]
}

/**
 * Parses a request and names every invalid field. The schema checks rules about several fields only if each field is valid on
 * its own, so parsing is repeated without the fields that were found invalid.
 *
 * @param given - problems that were found before; they are part of the result.
 * @param standIn - valid values of required fields, which replace invalid ones when parsing again.
 */
function readFields<S extends z.ZodType>(
  schema: S,
  value: unknown,
  given: readonly FieldProblem[],
  standIn: Fields,
): Read<z.output<S>> {
  const inexact = inexactIntegers(value).slice(0, MAX_PROBLEMS)
  const problems = new Map([...given, ...inexact].map(problem => [problem.path, problem]))
  const tried = new Set(inexact.map(({ path }) => path.split(/[.[]/, 1)[0] ?? ''))
  // Without a null in its selection, a deletion would delete more pages.
  let asked = schema === (deletionRequest as z.ZodType) ? value : withoutNulls(value)
  if (isRecord(asked) && tried.size > 0) asked = replaced(asked, tried, standIn)
  for (;;) {
    const parsed = schema.safeParse(asked, { reportInput: true })
    if (parsed.success) return { request: parsed.data, problems: [...problems.values()] }
    const bad = new Set<string>()
    for (const { path, reason } of fieldReasons(schema, parsed.error, unknownField).slice(0, MAX_PROBLEMS)) {
      const [field] = path
      // A field that was removed because it is invalid is not also missing.
      if (field !== undefined && tried.has(field)) continue
      const name = fieldPath(path.map(part => part.slice(0, MAX_NAME_CHARS)))
      if (!problems.has(name)) problems.set(name, { path: name, reason })
      if (field !== undefined) bad.add(field)
    }
    // The request is not an object, a required field has no stand-in value, or the list of problems is full.
    if (!isRecord(asked) || bad.size === 0 || problems.size >= MAX_PROBLEMS) return { problems: [...problems.values()] }
    for (const name of bad) tried.add(name)
    asked = replaced(asked, bad, standIn)
  }
}

/** Returns the error for a request with invalid fields. */
function refuse(problems: readonly FieldProblem[]): ServiceError {
  return refusedFields('invalid_request', problems.slice(0, MAX_PROBLEMS))
}

function unknownField(key: string, names: readonly string[]): string {
  if (names.length === 0) return 'unknown field'
  // Some libraries write an object in a query string as `filter[price][lt]=20`.
  const [object = ''] = key.split('[', 1)
  if (object !== key && names.includes(object))
    return `unknown field; write ${object}=, a list with commas or an object as JSON`
  const known = Object.entries(synonyms).filter(([, name]) => names.includes(name))
  const { nearest, hint } = unknownName(key, names, Object.fromEntries(known))
  return nearest === undefined ? 'unknown field' : `unknown field; ${hint}`
}

/**
 * Validates a request against its schema.
 *
 * @throws ServiceError invalid_request - `details` names each invalid field once, with the reason.
 */
export function parseRequest<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { request, problems } = readFields(schema, value, [], {})
  if (problems.length > 0) throw refuse(problems)
  return request as z.output<S>
}

const formTypes = new WeakMap<z.ZodObject, Record<string, string>>()

/** Returns the JSON type of each field. The result is cached for each schema. */
function fieldTypes(schema: z.ZodObject): Record<string, string> {
  let types = formTypes.get(schema)
  if (!types) {
    const { properties = {} } = z.toJSONSchema(schema, { io: 'input' })
    types = Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) =>
        typeof property === 'object' && typeof property.type === 'string' ? [[name, property.type]] : [],
      ),
    )
    formTypes.set(schema, types)
  }
  return types
}

const booleans: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }

function coerce(type: string | undefined, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (type === 'integer' && /^[+-]?\d{1,15}(?:\.0+)?$/.test(value)) return Number(value)
  // Libraries of Python write `True`.
  if (type === 'boolean' && Object.hasOwn(booleans, value.toLowerCase())) return booleans[value.toLowerCase()]
  if (type === 'object') return value === '' ? undefined : parsedJson(value)
  return value
}

/**
 * Returns the values of a list, which is given once or repeatedly, each time as JSON or separated by commas. Returns undefined if the list
 * has no value.
 */
function listOf(given: unknown): unknown {
  const values = [given].flat().flatMap(part => {
    if (typeof part !== 'string') return [part]
    if (part.startsWith('[')) return parsedJson(part)
    return part.split(',').flatMap(value => value.trim() || [])
  })
  return values.length === 0 ? undefined : values
}

/**
 * Returns the value of a JSON text. Returns any other text unchanged, which the schema then rejects because it is not an
 * object.
 */
function parsedJson(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

/** Matches the name of a list as some libraries write it in a query string: `sites[]`, `sites[0]`. */
const LIST_NAME = /^([^[\]]+)\[\d{0,4}\]$/

/** Joins the values of lists whose names are written with brackets. */
function joinedLists(form: Fields, types: Readonly<Record<string, string>>): Fields {
  const joined = new Map<string, unknown>()
  for (const [given, value] of Object.entries(form)) {
    const [, list = ''] = LIST_NAME.exec(given) ?? []
    const name = types[list] === 'array' ? list : given
    joined.set(name, joined.has(name) ? [joined.get(name), value].flat() : value)
  }
  return Object.fromEntries(joined)
}

/** Converts values in string form to their JSON types, and reports names that were given more than once. */
function typedForm(schema: z.ZodObject, given: Fields): { typed: Record<string, unknown>; repeated: FieldProblem[] } {
  const types = fieldTypes(schema)
  const form = joinedLists(given, types)
  const repeated = Object.entries(form).flatMap(([name, value]) =>
    typeof value === 'string' || types[name] === 'array' || !Object.hasOwn(schema.shape, name)
      ? []
      : [{ path: name.slice(0, MAX_NAME_CHARS), reason: 'given more than once' }],
  )
  // An assignment to `__proto__` would set a prototype. `fromEntries` keeps it as an ordinary field, which the schema rejects.
  const typed = Object.fromEntries(
    Object.entries(form).map(([name, value]) => [
      name,
      types[name] === 'array' ? listOf(value) : coerce(types[name], value),
    ]),
  )
  return { typed, repeated }
}

/**
 * Validates the string form of a request (query string, command line). Integers are digits, booleans `true|false|1|0` in any case, objects
 * JSON. A list is repeated (also as `sites[]`), separated by commas or JSON. Everything else is unchanged. The schema rejects a value that
 * can't be converted.
 *
 * @throws ServiceError invalid_request - like `parseRequest`.
 */
export function parseForm<S extends z.ZodObject>(schema: S, form: Fields): z.output<S> {
  const { typed, repeated } = typedForm(schema, form)
  const { request, problems } = readFields(schema, typed, repeated, {})
  if (problems.length > 0) throw refuse(problems)
  return request as z.output<S>
}

/** How to read a request if its schema can't check all fields completely. */
export interface RequestReading<Request> {
  /** Valid values of required fields. They replace invalid ones, so that the other fields can be checked. */
  standIn: Fields
  /**
   * Checks what the schema can't, such as times. Called only for a request with invalid fields, after they were removed or
   * replaced. A request without invalid fields is checked when it is answered.
   *
   * @throws ServiceError with `details`
   */
  check: (request: Request) => Promise<void>
  /** Problems that are known already, such as parameters in the wrong place. Default: none. */
  problems?: readonly FieldProblem[]
}

async function finish<Request>(
  { request, problems }: Read<Request>,
  { check }: RequestReading<Request>,
): Promise<Request> {
  if (problems.length === 0) return request as Request
  if (request === undefined) throw refuse(problems)
  const named = new Set(problems.map(({ path }) => path.split(/[.[]/, 1)[0]))
  const more = (await problemsFound(() => check(request))).filter(({ path }) => !named.has(path))
  throw refuse([...problems, ...more])
}

/** Returns the problems that a check finds. Ignores any other failure of the check, because the request is rejected anyway. */
async function problemsFound(check: () => Promise<void>): Promise<readonly FieldProblem[]> {
  try {
    await check()
    return []
  } catch (failure) {
    const isOfFields =
      failure instanceof ServiceError && (failure.kind === 'invalid_request' || failure.kind === 'address_refused')
    return isOfFields ? (failure.details ?? []) : []
  }
}

/**
 * Like `parseRequest`; if a field is invalid, the error also names the fields that only `check` finds invalid.
 *
 * @throws ServiceError invalid_request
 */
export async function readRequest<S extends z.ZodType>(
  schema: S,
  value: unknown,
  reading: RequestReading<z.output<S>>,
): Promise<z.output<S>> {
  return await finish(readFields(schema, value, reading.problems ?? [], reading.standIn), reading)
}

/**
 * Like `parseForm`; if a field is invalid, the error also names the fields that only `check` finds invalid.
 *
 * @throws ServiceError invalid_request
 */
export async function readForm<S extends z.ZodObject>(
  schema: S,
  form: Fields,
  reading: RequestReading<z.output<S>>,
): Promise<z.output<S>> {
  const { typed, repeated } = typedForm(schema, form)
  const problems = [...(reading.problems ?? []), ...repeated]
  return await finish(readFields(schema, typed, problems, reading.standIn), reading)
}
