import { z } from 'zod'

export type JsonSchema = Readonly<Record<string, unknown>>

/** The JSON Schema of a request (`input`) or of a response (`output`). */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  return rest
}

export function reference(name: string) {
  return { $ref: `#/components/schemas/${name}` }
}

/** The content of a JSON body: a schema, or the name of one among the components. */
export function json(schema: string | JsonSchema) {
  return { 'application/json': { schema: typeof schema === 'string' ? reference(schema) : schema } }
}

/** The query parameters of a GET route, derived from the schema that validates them. */
export function queryParameters(schema: z.ZodObject) {
  const { properties = {}, required = [] } = jsonSchema(schema, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    // A query string has no null. An empty value means the same.
    schema: Array.isArray(property.type) ? { ...property, type: 'string' } : property,
  }))
}
