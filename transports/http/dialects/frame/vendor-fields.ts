import type { z } from 'zod'
import {
  type FieldProblem,
  firstCodePoints,
  parseRequest,
  printableLine,
  refusedFields,
  renamingFields,
} from '../../../../service/index.ts'
import type { DialectWarning } from './warning.ts'

/** The fields of one object of a request that a dialect does not read. */
export interface VendorFieldRules {
  /** Fields that ask for more than asof has, or for another form. The answer leaves it out, and warns with this reason. */
  leftOut?: Readonly<Record<string, string>>
  /** Fields about cost, speed or the client, which are ignored without a warning. */
  silent?: readonly string[]
  /** Fields that narrow, date or change the answer, which asof cannot do: the request is refused with this reason. */
  refused?: Readonly<Record<string, string>>
}

type Fields = Readonly<Record<string, unknown>>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Maximum number of unknown fields in warnings, so that a hostile body cannot cause a large answer. */
const MAX_UNKNOWN = 20
const MAX_NAME_CHARS = 100

/** Returns true for the value of a field that asks for nothing, as clients send that fill in defaults. */
function asksForNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === false ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  )
}

/**
 * Reads an object of a request.
 *
 * @param schema - the fields that the dialect reads.
 * @param path - the name of the object, and a dot. Empty for the whole request.
 * @param warnings - gets a warning for each field that is left out.
 * @throws ServiceError invalid_request - `details` names every field that has a wrong value, or that asof cannot obey.
 */
export function readVendorFields<S extends z.ZodObject>(
  schema: S,
  value: unknown,
  { path, rules, warnings }: { path: string; rules: VendorFieldRules; warnings: DialectWarning[] },
): z.output<S> {
  const fields = isFields(value) ? value : {}
  const problems: FieldProblem[] = []
  const unknown: string[] = []
  for (const [name, given] of Object.entries(fields)) {
    if (Object.hasOwn(schema.shape, name) || rules.silent?.includes(name) || asksForNothing(given)) continue
    const refused = ownValue(rules.refused, name)
    const leftOut = ownValue(rules.leftOut, name)
    if (refused !== undefined) problems.push({ path: path + name, reason: refused })
    else if (leftOut !== undefined) warnings.push({ path: path + name, message: leftOut })
    else unknown.push(name)
  }
  if (problems.length > 0) throw refusedFields('invalid_request', problems)
  for (const name of unknown.slice(0, MAX_UNKNOWN))
    warnings.push({
      path: path + firstCodePoints(printableLine(name), MAX_NAME_CHARS),
      message: 'ignored, because asof does not know this field',
    })
  try {
    return parseRequest(schema, value)
  } catch (failure) {
    throw renamingFields(failure, name => path + name)
  }
}

function ownValue(table: Readonly<Record<string, string>> | undefined, name: string): string | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined
}

/** Objects whose names are those of a caller's data. */
const SCHEMA_NAMES = new Set(['schema', 'outputSchema'])
/** Number of objects and lists around a field. */
const MAX_DEPTH = 6

/** Returns true for the name of a field that means an instant of the past in some interface, in any case and with any separator. */
function namesInstant(name: string): boolean {
  const words = name
    .replace(/(?<=[a-z\d])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z\d]+/)
  return /_(?:as_of|asof|snapshot|snapshots|query_time|querytime)_/.test(`_${words.join('_')}_`)
}

/**
 * Refuses a request that names an instant in a field that its reader does not read. Otherwise the answer would be that of now, and the caller would not notice.
 *
 * @param read - the paths of the fields that are read, such as `contents.snapshotAsOf`.
 * @throws ServiceError invalid_request
 */
export function refuseStrayInstants(value: unknown, read: readonly string[]): void {
  const problems: FieldProblem[] = []
  const visit = (within: unknown, path: string, depth: number): void => {
    if (depth > MAX_DEPTH) return
    if (Array.isArray(within)) {
      for (const [i, item] of within.entries()) visit(item, `${path}[${i}]`, depth + 1)
      return
    }
    if (!isFields(within)) return
    for (const [name, inner] of Object.entries(within)) {
      const at = path === '' ? name : `${path}.${name}`
      if (namesInstant(name) && !read.includes(at) && inner !== null && inner !== undefined)
        problems.push({
          path: firstCodePoints(printableLine(at), MAX_NAME_CHARS),
          reason: `is not read here; name the instant in ${read.join(' or ')}`,
        })
      else if (!SCHEMA_NAMES.has(name)) visit(inner, at, depth + 1)
    }
  }
  visit(value, '', 0)
  if (problems.length > 0) throw refusedFields('invalid_request', problems.slice(0, MAX_UNKNOWN))
}
