import { unknownName } from '@asof/core'
import { z } from 'zod'
import { fieldReasons } from '../../../crawler/field-reason.ts'
import { refusedFields, ServiceError } from './errors.ts'
import type { FieldProblem } from './schemas.ts'

/** More problems than a reader can use, few enough that a hostile body can't make a large answer. */
const MAX_PROBLEMS = 100
const MAX_NAME_CHARS = 100

/** What other search APIs call our fields. */
const synonyms: Readonly<Record<string, string>> = {
  limit: 'max_results',
  count: 'max_results',
  size: 'max_results',
  asof: 'query_time',
  q: 'query',
  domain: 'site',
  maxlength: 'max_chars',
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A record without some of its own fields. `fromEntries` keeps a field named `__proto__` an ordinary one. */
function without(value: Readonly<Record<string, unknown>>, names: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)))
}

interface Read<Request> {
  /** Present if nothing is wrong, or once the bad fields were left out and stood in for. */
  request?: Request
  problems: FieldProblem[]
}

/**
 * Reads a request, and names every bad field: rules about several fields are tried again without those that are bad in
 * themselves.
 *
 * @param standIn - values of required fields, for trying again.
 */
function readFields<S extends z.ZodType>(
  schema: S,
  value: unknown,
  given: readonly FieldProblem[],
  standIn: Readonly<Record<string, unknown>>,
): Read<z.output<S>> {
  const problems = new Map(given.map(problem => [problem.path, problem]))
  const tried = new Set<string>()
  let asked = value
  for (;;) {
    const parsed = schema.safeParse(asked, { reportInput: true })
    if (parsed.success) return { request: parsed.data, problems: [...problems.values()] }
    const bad = new Set<string>()
    for (const { path, reason } of fieldReasons(schema, parsed.error, unknownField).slice(0, MAX_PROBLEMS)) {
      // What was left out for being bad is not also missing.
      if (path.length > 0 && tried.has(path[0]!)) continue
      const name = path.map(part => part.slice(0, MAX_NAME_CHARS)).join('.')
      if (!problems.has(name)) problems.set(name, { path: name, reason })
      if (path.length > 0) bad.add(path[0]!)
    }
    // The request as a whole is bad, a required field has no stand-in, or more problems would not be named.
    if (!isRecord(asked) || bad.size === 0 || problems.size >= MAX_PROBLEMS) return { problems: [...problems.values()] }
    const left = without(asked, bad)
    for (const name of bad) {
      tried.add(name)
      if (Object.hasOwn(standIn, name)) left[name] = standIn[name]
    }
    asked = left
  }
}

/** Refuses bad fields. */
function refuse(problems: readonly FieldProblem[]): ServiceError {
  return refusedFields('invalid_request', problems.slice(0, MAX_PROBLEMS))
}

function unknownField(key: string, names: readonly string[]): string {
  if (names.length === 0) return 'unknown field'
  const known = Object.entries(synonyms).filter(([, name]) => names.includes(name))
  const { nearest, hint } = unknownName(key, names, Object.fromEntries(known))
  return nearest === undefined ? 'unknown field' : `unknown field; ${hint}`
}

/**
 * Validates a request against its schema.
 *
 * @throws ServiceError invalid_request - `details` names each bad field once, with the reason.
 */
export function parseRequest<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { request, problems } = readFields(schema, value, [], {})
  if (problems.length > 0) throw refuse(problems)
  return request as z.output<S>
}

const formTypes = new WeakMap<z.ZodObject, Record<string, string>>()

/** The JSON type of each field, read off the schema once. */
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
  if (type === 'integer' && /^[+-]?\d{1,15}$/.test(value)) return Number(value)
  if (type === 'boolean' && Object.hasOwn(booleans, value)) return booleans[value]
  return value
}

/** Values in string form as their JSON types, and the names that were given more than once. */
function typedForm(
  schema: z.ZodObject,
  form: Readonly<Record<string, unknown>>,
): { typed: Record<string, unknown>; repeated: FieldProblem[] } {
  const types = fieldTypes(schema)
  const repeated = Object.entries(form).flatMap(([name, value]) =>
    typeof value === 'string' ? [] : [{ path: name.slice(0, MAX_NAME_CHARS), reason: 'given more than once' }],
  )
  // Where assigning would set a prototype, `fromEntries` keeps `__proto__` an ordinary, and unknown, field.
  const typed = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, coerce(types[name], value)]))
  return { typed, repeated }
}

/**
 * Validates the string form of a request (query string, command line): integers in digits, booleans as
 * `true|false|1|0`, everything else as it is. A value that can't be read is left for the schema to refuse.
 *
 * @throws ServiceError invalid_request - as `parseRequest`.
 */
export function parseForm<S extends z.ZodObject>(schema: S, form: Readonly<Record<string, unknown>>): z.output<S> {
  const { typed, repeated } = typedForm(schema, form)
  const { request, problems } = readFields(schema, typed, repeated, {})
  if (problems.length > 0) throw refuse(problems)
  return request as z.output<S>
}

/** How a request is read whose fields are not all checked by its schema. */
export interface RequestReading<Request> {
  /** Required fields with values that are good for any check, so that the others can be checked when those are bad. */
  standIn: Readonly<Record<string, unknown>>
  /**
   * Checks what the schema can't, such as times. It is called only for a request with bad fields, without these: a good one
   * is checked by whoever answers it. @throws ServiceError with `details`
   */
  check: (request: Request) => Promise<void>
  /** Problems that were found before, such as parameters in the wrong place. Default: none. */
  problems?: readonly FieldProblem[]
}

async function finish<Request>(
  { request, problems }: Read<Request>,
  { check }: RequestReading<Request>,
): Promise<Request> {
  if (problems.length === 0) return request as Request
  if (request === undefined) throw refuse(problems)
  const named = new Set(problems.map(({ path }) => path.split('.', 1)[0]))
  const more = (await problemsFound(() => check(request))).filter(({ path }) => !named.has(path))
  throw refuse([...problems, ...more])
}

/** What a check refuses. That it could not be made changes nothing: the request is refused anyway. */
async function problemsFound(check: () => Promise<void>): Promise<readonly FieldProblem[]> {
  try {
    await check()
    return []
  } catch (failure) {
    return failure instanceof ServiceError && failure.status === 400 ? (failure.details ?? []) : []
  }
}

/**
 * Like `parseRequest`, and if a field is bad, names those too that only `check` finds.
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
 * Like `parseForm`, and if a field is bad, names those too that only `check` finds.
 *
 * @throws ServiceError invalid_request
 */
export async function readForm<S extends z.ZodObject>(
  schema: S,
  form: Readonly<Record<string, unknown>>,
  reading: RequestReading<z.output<S>>,
): Promise<z.output<S>> {
  const { typed, repeated } = typedForm(schema, form)
  const problems = [...(reading.problems ?? []), ...repeated]
  return await finish(readFields(schema, typed, problems, reading.standIn), reading)
}
