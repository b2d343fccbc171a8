import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { argumentsSchema } from '../../../../transports/mcp/tools/tool-schema.ts'

describe('the schema of the arguments of a tool', () => {
  it('has no null among the types of an optional argument, which some clients do not support', () => {
    const schema = argumentsSchema(
      z.object({
        text: z.string().nullish(),
        either: z.union([z.string(), z.number()]).nullish(),
        list: z.array(z.string()).nullish(),
        needed: z.string(),
      }),
    )
    const { properties, required } = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }) as {
      properties: Record<string, { type?: unknown; anyOf?: { type: unknown }[] }>
      required: string[]
    }
    expect(properties.text?.type).toBe('string')
    expect(properties.list?.type).toBe('array')
    expect(properties.either?.anyOf?.map(({ type }) => type) ?? properties.either?.type).toEqual(['string', 'number'])
    expect(properties.needed?.type).toBe('string')
    expect(required).toEqual(['needed'])
  })
})
