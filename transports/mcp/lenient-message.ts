import { parseExactJson } from '@asof/extract/exact-json'

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0)
}

/** Returns an object without the members that are null or an empty list, if its schema allows only objects there. */
function without(value: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(([name, member]) => !(names.includes(name) && isEmpty(member))),
  )
}

/** Returns the arguments of a call. Some clients send them as a text of JSON. */
function objectOf(given: unknown): unknown {
  if (typeof given !== 'string') return given
  try {
    const value = given.trim() === '' ? {} : parseExactJson(given)
    return isObject(value) ? value : given
  } catch {
    // The text is not JSON, so the SDK answers that it must be an object.
    return given
  }
}

function lenient(message: unknown): unknown {
  if (!isObject(message)) return message
  const { params, ...rest } = without(message, ['params'])
  if (!isObject(params)) return params === undefined ? rest : message
  const given = without(params, ['_meta', 'arguments'])
  return { ...rest, params: 'arguments' in given ? { ...given, arguments: objectOf(given.arguments) } : given }
}

/**
 * Returns a message, or a batch of messages, as the protocol writes it. Libraries for JSON-RPC send `null` or an empty list for
 * parameters that they do not have, and some clients send the arguments of a call as text.
 */
export function lenientMessage(body: unknown): unknown {
  return Array.isArray(body) ? body.map(lenient) : lenient(body)
}
