import type { z } from 'zod'

/** Unknown fields that are named, and characters of each name: a hostile value must not make a large answer. */
const MAX_UNKNOWN = 100
const MAX_NAME_CHARS = 100

/** One thing that is wrong with a value from outside: where, and what was expected there. */
export interface FieldReason {
  /** Names from the outermost field inwards; empty for the value as a whole. */
  path: readonly string[]
  /** Follows the name of the field: `must be a whole number from 1 to 50`. */
  reason: string
}

/** The parts of a schema that say what a field takes. */
interface SchemaParts {
  _zod: {
    def: { type: string; innerType?: SchemaParts; in?: SchemaParts; out?: SchemaParts; element?: SchemaParts }
  }
  shape?: Readonly<Record<string, SchemaParts>>
  /** Of numbers. */
  minValue?: number | null
  maxValue?: number | null
  isInt?: boolean
}

/** A schema without what wraps it: optional, default, preprocessing, a transformation of the result. */
function bare(schema: SchemaParts | undefined): SchemaParts | undefined {
  const def = schema?._zod.def
  if (def?.innerType) return bare(def.innerType)
  if (def?.type === 'pipe') return bare(def.in?._zod.def.type === 'transform' ? def.out : def.in)
  return schema
}

function schemaAt(schema: SchemaParts, path: readonly PropertyKey[]): SchemaParts | undefined {
  let at = bare(schema)
  for (const key of path) {
    const shape = at?.shape
    at = bare(shape ? (Object.hasOwn(shape, key) ? shape[String(key)] : undefined) : at?._zod.def.element)
  }
  return at
}

function numberReason(schema: SchemaParts | undefined, { minimum, maximum, exclusive = false, whole = false }: Bounds) {
  const kind = whole || schema?.isInt ? 'a whole number' : 'a number'
  // Every whole number that JSON can carry exactly has these bounds, which nobody needs to be told.
  const told = (bound: number | null | undefined) =>
    bound === undefined || bound === null || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound
  const above = exclusive ? told(minimum) : undefined
  const least = told(schema?.minValue ?? minimum)
  const most = told(schema?.maxValue ?? maximum)
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

/** Every reason that zod writes itself starts so; those of our schemas do not. */
const ofZod = /^(?:Invalid |Too (?:big|small)|Unrecognized |Expected )/

function reasonOf(schema: SchemaParts | undefined, issue: z.core.$ZodIssue): string {
  // A schema that says itself what it takes goes first.
  if (!ofZod.test(issue.message)) return issue.message
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
 * What a schema refuses, in our own words: for each bad field, once, what it must be. Nothing of the library's messages is
 * in it. The value must have been parsed with `reportInput`, which tells a missing field from one of the wrong type.
 *
 * @param unknown - the reason of a field that the schema does not know, from its name and the names that are known there.
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
