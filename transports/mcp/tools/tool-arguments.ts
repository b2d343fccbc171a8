import { parseExactJson } from '@asof/extract/exact-json'
import { z } from 'zod'

type JsonSchema = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the schema of a value that may also be null, without null. */
function schemaOf(given: unknown): JsonSchema {
  if (!isObject(given)) return {}
  const members = Array.isArray(given.anyOf)
    ? given.anyOf.filter(member => isObject(member) && member.type !== 'null')
    : []
  return members.length === 1 ? (members[0] as JsonSchema) : given
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    // The text is not JSON. The schema of the tool then says what it expects.
    return text
  }
}

function listOf(given: unknown, items: JsonSchema): unknown {
  if (typeof given !== 'string') return isObject(given) ? [given] : given
  const text = given.trim()
  if (text.startsWith('[') || text.startsWith('{')) return [parsed(text)].flat()
  return items.type === 'string' ? text.split(',').flatMap(part => part.trim() || []) : given
}

function coerced(given: unknown, schema: JsonSchema): unknown {
  const { type } = schema
  const text = typeof given === 'string' ? given.trim() : undefined
  if (type === 'integer' || type === 'number')
    return text !== undefined && /^[+-]?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : given
  if (type === 'boolean') return text !== undefined && /^(?:true|false)$/i.test(text) ? /^t/i.test(text) : given
  if (type === 'string') return typeof given === 'number' || typeof given === 'boolean' ? String(given) : given
  if (type === 'array') {
    const items = schemaOf(schema.items)
    const list = listOf(given, items)
    return Array.isArray(list) ? list.map(item => coerced(item, items)) : list
  }
  return type === 'object' ? coercedObject(text === undefined ? given : parsed(text), schema) : given
}

/** Matches a text by which a model says that an argument has no value. */
const NOTHING = /^\s*(?:null|none|undefined)?\s*$/i

function coercedObject(given: unknown, schema: JsonSchema): unknown {
  if (!isObject(given)) return given
  const { properties, additionalProperties, required } = schema
  const known = isObject(properties) ? properties : {}
  const needed = Array.isArray(required) ? required : []
  const members = Object.entries(given).flatMap(([name, value]) => {
    const isKnown = Object.hasOwn(known, name)
    const member = schemaOf(isKnown ? known[name] : additionalProperties)
    const isTextExpected = member.type === 'string' || member.type === undefined
    // A model that leaves out an argument may send null, also as text, or an empty text where another type is expected.
    const isLeftOut = value === null || (typeof value === 'string' && !isTextExpected && NOTHING.test(value))
    return isKnown && isLeftOut && !needed.includes(name) ? [] : [[name, coerced(value, member)] as const]
  })
  // An assignment to `__proto__` would set a prototype. `fromEntries` keeps it as an ordinary name, which the schema rejects.
  return Object.fromEntries(members)
}

const schemas = new WeakMap<z.ZodType, JsonSchema>()

/**
 * Returns the arguments of a call with the types of the tool. Clients and models send numbers, booleans, lists and objects as text, one
 * value in place of a list, numbers in place of texts, and null for what they leave out. A value that has no counterpart of the type is
 * returned unchanged, so that the schema can say what it expects.
 */
export function toolArguments(schema: z.ZodType, given: unknown): unknown {
  let json = schemas.get(schema)
  if (!json) {
    json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
    schemas.set(schema, json)
  }
  return coercedObject(given ?? {}, json)
}
