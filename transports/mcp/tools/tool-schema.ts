import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { z } from 'zod'

type JsonSchema = Record<string, unknown>

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Removes null from the types of an optional property, because some clients do not support unions of types. */
function withoutNull(property: JsonSchema): JsonSchema {
  const { anyOf, type, ...rest } = property
  if (Array.isArray(type)) {
    const types = type.filter(name => name !== 'null')
    return { ...rest, type: types.length === 1 ? types[0] : types }
  }
  if (!Array.isArray(anyOf)) return property
  const members = anyOf.filter((member): member is JsonSchema => isObject(member) && member.type !== 'null')
  return members.length === 1 ? { ...rest, ...members[0] } : { ...rest, anyOf: members }
}

function jsonSchemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    // The pattern is left out, because the format says the same, and a long pattern would fill the context of a model.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  const { properties } = json
  if (io === 'output' || !isObject(properties)) return json
  const plain = Object.entries(properties).map(([name, value]) => [name, isObject(value) ? withoutNull(value) : value])
  return { ...json, properties: Object.fromEntries(plain) }
}

/** Returns a schema in the form of the SDK. The JSON Schema is computed once and not for every request. */
function advertise(
  json: JsonSchema,
  validate: StandardSchemaWithJSON['~standard']['validate'],
): StandardSchemaWithJSON {
  return {
    '~standard': { version: 1, vendor: 'asof', validate, jsonSchema: { input: () => json, output: () => json } },
  }
}

/**
 * Returns the schema of a tool's arguments for the list of tools. The schema accepts every value, because the tool itself
 * checks the arguments, with the messages of the service.
 */
export function argumentsSchema(schema: z.ZodType): StandardSchemaWithJSON {
  return advertise(jsonSchemaOf(schema, 'input'), value => ({ value }))
}

/**
 * Returns the schema of some of a tool's arguments for the list of tools, which takes room in the context of every model that may use
 * the tool. It does not say that there are no others.
 *
 * @param texts - the descriptions of the arguments that are listed, by name.
 */
export function shortArgumentsSchema(
  schema: z.ZodType,
  texts: Readonly<Record<string, string>>,
): StandardSchemaWithJSON {
  const { properties, required } = jsonSchemaOf(schema, 'input')
  const known = isObject(properties) ? properties : {}
  const listed = Object.entries(texts).map(([name, description]) => {
    const { title: _, description: __, ...type } = isObject(known[name]) ? known[name] : {}
    return [name, description === '' ? type : { ...type, description }]
  })
  return advertise({ type: 'object', properties: Object.fromEntries(listed), required }, value => ({ value }))
}

/**
 * Returns the schema of a tool's structured content for the list of tools.
 *
 * @param listed - the schema that is listed, which every value of `schema` matches. Default: `schema`.
 */
export function contentSchema(schema: z.ZodType, listed = schema): StandardSchemaWithJSON {
  return advertise(jsonSchemaOf(listed, 'output'), schema['~standard'].validate)
}
