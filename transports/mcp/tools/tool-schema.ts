import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { z } from 'zod'

type JsonSchema = Record<string, unknown>

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A property that may be left out needs no null: some clients know no unions of types. */
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
    // The format says it; the long pattern would only fill the context of a model.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
    },
  })
  const { properties } = json
  if (io === 'output' || !isObject(properties)) return json
  const plain = Object.entries(properties).map(([name, value]) => [name, isObject(value) ? withoutNull(value) : value])
  return { ...json, properties: Object.fromEntries(plain) }
}

/** A schema as the SDK takes it, with its JSON form made once: a server is built for every request. */
function advertised(
  json: JsonSchema,
  validate: StandardSchemaWithJSON['~standard']['validate'],
): StandardSchemaWithJSON {
  return {
    '~standard': { version: 1, vendor: 'asof', validate, jsonSchema: { input: () => json, output: () => json } },
  }
}

/**
 * The schema of a tool's arguments as it is advertised. It lets every value pass: the tool itself refuses, in the words
 * and the order of the service.
 */
export function advertisedArguments(schema: z.ZodType): StandardSchemaWithJSON {
  return advertised(jsonSchemaOf(schema, 'input'), value => ({ value }))
}

/** The schema of a tool's structured content. */
export function advertisedContent(schema: z.ZodType): StandardSchemaWithJSON {
  return advertised(jsonSchemaOf(schema, 'output'), schema['~standard'].validate)
}
