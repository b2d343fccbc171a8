import { z } from 'zod'
import { unknownName } from '../../core/index.ts'
import { ServiceError } from './errors.ts'
import type { FieldProblem } from './schemas.ts'

/** More problems than a reader can use, few enough that a hostile body can't make a large answer. */
const MAX_PROBLEMS = 100
const MAX_NAME_CHARS = 100

/** What other search APIs call our fields; `nearest` must be one of the schema's own. */
const synonyms = {
  limit: 'max_results',
  count: 'max_results',
  size: 'max_results',
  asof: 'query_time',
  q: 'query',
  domain: 'site',
  maxlength: 'max_chars',
}

/** @param names - the fields that the request may have. */
function problemsOf(error: z.ZodError, names: readonly string[]): FieldProblem[] {
  const problems: FieldProblem[] = []
  for (const issue of error.issues) {
    const path = issue.path.join('.')
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys.slice(0, MAX_PROBLEMS)) {
        const reason = issue.path.length === 0 && names.length > 0 ? unknownField(key, names) : 'unknown field'
        problems.push({ path: [...issue.path, key.slice(0, MAX_NAME_CHARS)].join('.'), reason })
      }
    } else if (issue.code === 'invalid_type' && issue.input === undefined && path !== '') {
      problems.push({ path, reason: 'required' })
    } else {
      problems.push({ path, reason: issue.message })
    }
  }
  return problems.slice(0, MAX_PROBLEMS)
}

function unknownField(key: string, names: readonly string[]): string {
  const known = Object.entries(synonyms).filter(([, name]) => names.includes(name))
  const { nearest, hint } = unknownName(key, names, Object.fromEntries(known))
  return nearest === undefined ? 'unknown field' : `unknown field; ${hint}`
}

/**
 * Validates a request against its schema.
 *
 * @throws ServiceError invalid_request - `details` names each bad field and the reason.
 */
export function parseRequest<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const parsed = schema.safeParse(value, { reportInput: true })
  if (parsed.success) return parsed.data
  const details = problemsOf(parsed.error, schema instanceof z.ZodObject ? Object.keys(schema.shape) : [])
  const message = details.map(({ path, reason }) => (path === '' ? reason : `${path}: ${reason}`)).join('; ')
  throw new ServiceError('invalid_request', message, { details })
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

function coerce(name: string, type: string | undefined, value: unknown): unknown {
  if (typeof value !== 'string') {
    throw new ServiceError('invalid_request', `${name}: given more than once`, {
      details: [{ path: name, reason: 'given more than once' }],
    })
  }
  if (type === 'integer' && /^[+-]?\d{1,15}$/.test(value)) return Number(value)
  if (type === 'boolean' && Object.hasOwn(booleans, value)) return booleans[value]
  return value
}

/**
 * Validates the string form of a request (query string, command line): integers in digits, booleans as
 * `true|false|1|0`, everything else as it is. A value that can't be read is left for the schema to refuse.
 *
 * @throws ServiceError invalid_request
 */
export function parseForm<S extends z.ZodObject>(schema: S, form: Readonly<Record<string, unknown>>): z.output<S> {
  const types = fieldTypes(schema)
  // Where assigning would set a prototype, `fromEntries` keeps `__proto__` an ordinary, and unknown, field.
  const typed = Object.fromEntries(
    Object.entries(form).map(([name, value]) => [name, coerce(name, types[name], value)]),
  )
  return parseRequest(schema, typed)
}
