import type { z } from 'zod'

/** Maximum number of unknown fields in a report, so that hostile input cannot cause a large answer. */
const MAX_UNKNOWN = 100
/** Maximum length of a field's name in a report. */
const MAX_NAME_CHARS = 100

/** Why a schema rejects one field of a value. */
export interface FieldReason {
  /** The path to the field, outermost name first. Empty if the whole value is wrong. */
  path: readonly string[]
  /** A phrase to follow the field's name, such as `must be a whole number from 1 to 50`. */
  reason: string
}

/** Returns a path as text, such as `quotes[0].url`, as the library names fields. */
export function fieldPath(path: readonly string[]): string {
  return path.reduce((text, part) => {
    if (/^\d+$/.test(part)) return `${text}[${part}]`
    return text === '' ? part : `${text}.${part}`
  }, '')
}

/** The parts of a zod schema that are read here. */
interface SchemaParts {
  _zod: {
    def: { type: string; innerType?: SchemaParts; in?: SchemaParts; out?: SchemaParts; element?: SchemaParts }
  }
  shape?: Readonly<Record<string, SchemaParts>>
  /** Only in the schema of a number, like `maxValue` and `isInt`. */
  minValue?: number | null
  maxValue?: number | null
  isInt?: boolean
}

/** Returns the schema inside wrappers such as optional, default, preprocess and transform. */
function unwrap(schema: SchemaParts | undefined): SchemaParts | undefined {
  const def = schema?._zod.def
  if (def?.innerType) return unwrap(def.innerType)
  if (def?.type === 'pipe') return unwrap(def.in?._zod.def.type === 'transform' ? def.out : def.in)
  return schema
}

function schemaAt(schema: SchemaParts, path: readonly PropertyKey[]): SchemaParts | undefined {
  let at = unwrap(schema)
  for (const key of path) {
    const shape = at?.shape
    at = unwrap(shape ? (Object.hasOwn(shape, key) ? shape[String(key)] : undefined) : at?._zod.def.element)
  }
  return at
}

function numberReason(schema: SchemaParts | undefined, { minimum, maximum, exclusive = false, whole = false }: Bounds) {
  const kind = whole || schema?.isInt ? 'a whole number' : 'a number'
  // Zod limits whole numbers to those that JSON represents exactly. Messages leave such a limit out.
  const shownBound = (bound: number | null | undefined) =>
    bound === undefined || bound === null || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound
  const above = exclusive ? shownBound(minimum) : undefined
  const least = shownBound(schema?.minValue ?? minimum)
  const most = shownBound(schema?.maxValue ?? maximum)
  if (above !== undefined) return `must be ${kind} above ${above}${most === undefined ? '' : `, up to ${most}`}`
  if (least !== undefined && most !== undefined) return `must be ${kind} from ${least} to ${most}`
  if (least !== undefined) return `must be ${kind}, ${least} or more`
  return most === undefined ? `must be ${kind}` : `must be ${kind}, ${most} or less`
}

interface Bounds {
  minimum?: number | undefined
  maximum?: number | undefined
  exclusive?: boolean
  whole?: boolean
}

const typeReasons: Readonly<Record<string, string>> = {
  string: 'must be text',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be a JSON object',
  record: 'must be a JSON object',
}

function typeReason(schema: SchemaParts | undefined, expected: string): string {
  if (expected === 'number' || expected === 'int') return numberReason(schema, { whole: expected === 'int' })
  return typeReasons[expected] ?? 'has a value of the wrong type'
}

function sizeReason(schema: SchemaParts | undefined, issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall): string {
  const isBig = issue.code === 'too_big'
  const limit = Number(isBig ? issue.maximum : issue.minimum)
  if (issue.origin === 'number' || issue.origin === 'int') {
    const bound = isBig ? { maximum: limit } : { minimum: limit, exclusive: issue.inclusive === false }
    return numberReason(schema, bound)
  }
  if (!isBig && limit === 1) return 'must not be empty'
  return `must have ${isBig ? 'at most' : 'at least'} ${limit} ${issue.origin === 'string' ? 'characters' : 'entries'}`
}

/** Matches messages of zod itself, not those written in our schemas. */
const zodMessage = /^(?:Invalid |Too (?:big|small)|Unrecognized |Expected )/

function reasonOf(schema: SchemaParts | undefined, issue: z.core.$ZodIssue): string {
  // A message written in the schema takes precedence.
  if (!zodMessage.test(issue.message)) return issue.message
  if (issue.code === 'invalid_type') {
    return issue.input === undefined ? 'required' : typeReason(schema, issue.expected)
  }
  if (issue.code === 'too_big' || issue.code === 'too_small') return sizeReason(schema, issue)
  if (issue.code === 'not_multiple_of') return numberReason(schema, { whole: issue.divisor === 1 })
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String)
    return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`
  }
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') {
    const [inner] = issue.issues
    return inner ? reasonOf(undefined, inner) : 'has a name that is not accepted'
  }
  return 'has a value that is not accepted'
}

/**
 * Describes why a schema rejects a value, with one reason for each wrong field. The value must have been parsed with
 * `reportInput`, which distinguishes a missing field from one of the wrong type.
 *
 * @param unknown - returns the reason for a field that the schema does not have, given its name and the names beside
 *   it.
 */
export function fieldReasons(
  schema: z.ZodType,
  error: z.ZodError,
  unknown: (name: string, known: readonly string[]) => string = () => 'unknown field',
): FieldReason[] {
  const parts = schema as unknown as SchemaParts
  const found = new Map<string, FieldReason>()
  const note = (path: readonly PropertyKey[], reason: string) => {
    const names = path.map(String)
    const key = JSON.stringify(names)
    if (!found.has(key)) found.set(key, { path: names, reason })
  }
  for (const issue of error.issues) {
    const at = schemaAt(parts, issue.path)
    if (issue.code !== 'unrecognized_keys') note(issue.path, reasonOf(at, issue))
    else
      for (const key of issue.keys.slice(0, MAX_UNKNOWN))
        note([...issue.path, key.slice(0, MAX_NAME_CHARS)], unknown(key, Object.keys(at?.shape ?? {})))
  }
  return [...found.values()]
}
