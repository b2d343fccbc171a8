import type { z } from 'zod'

/** Maximum number of unknown fields that are reported, so that a hostile value causes no large answer. */
const MAX_UNKNOWN = 100
/** Maximum length of the reported name of an unknown field. */
const MAX_NAME_CHARS = 100

/** One problem of a value that a schema rejects: which field, and what it must be. */
export interface FieldReason {
  /** Names from the outermost field inwards; empty if the value as a whole is wrong. */
  path: readonly string[]
  /** A phrase that follows the name of the field, such as `must be a whole number from 1 to 50`. */
  reason: string
}

/** The parts of a zod schema that say what a field accepts. */
interface SchemaParts {
  _zod: {
    def: { type: string; innerType?: SchemaParts; in?: SchemaParts; out?: SchemaParts; element?: SchemaParts }
  }
  shape?: Readonly<Record<string, SchemaParts>>
  /** Present in schemas of numbers, as are the next two fields. */
  minValue?: number | null
  maxValue?: number | null
  isInt?: boolean
}

/** Removes the wrappers of a schema: optional, default, preprocessing, and transformations of the result. */
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
  // Zod bounds whole numbers by what JSON can carry exactly; such bounds are left out of the message.
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

/** Matches the messages that zod writes itself, but not the messages in our schemas. */
const zodMessage = /^(?:Invalid |Too (?:big|small)|Unrecognized |Expected )/

function reasonOf(schema: SchemaParts | undefined, issue: z.core.$ZodIssue): string {
  // A message that the schema gives goes first.
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
 * Describes why a schema rejects a value: one reason for each bad field, without any of zod's own messages. The value must
 * have been parsed with `reportInput`, which is how a missing field is told from one of the wrong type.
 *
 * @param unknown - writes the reason for a field that the schema does not know, from its name and the known names beside it.
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
