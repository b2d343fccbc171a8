import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { toolArguments } from '../../../../transports/mcp/tools/tool-arguments.ts'

const schema = z.strictObject({
  query: z.string(),
  site: z.string().nullish(),
  most: z.int().optional(),
  weight: z.number().optional(),
  live: z.boolean().default(false),
  sites: z.array(z.string()).optional(),
  scores: z.record(z.string(), z.int()).optional(),
  filter: z.unknown().meta({ type: 'object', additionalProperties: {} }).optional(),
  quotes: z.array(z.object({ url: z.string(), at: z.string().nullish() })).optional(),
})
const read = (given: unknown) => schema.safeParse(toolArguments(schema, given))

describe('the arguments of a tool, as clients send them', () => {
  it.each([
    [{ most: '5' }, { most: 5 }],
    [{ most: ' 5 ' }, { most: 5 }],
    [{ most: '-3' }, { most: -3 }],
    [{ most: '5.0' }, { most: 5 }],
    [{ weight: '0.25' }, { weight: 0.25 }],
    [{ live: 'true' }, { live: true }],
    [{ live: 'False' }, { live: false }],
    [{ query: 2024 }, { query: '2024' }],
    [{ query: '007' }, { query: '007' }],
    [{ query: 'null' }, { query: 'null' }],
    [{ query: '["a"]' }, { query: '["a"]' }],
    [{ sites: '["docs.example"]' }, { sites: ['docs.example'] }],
    [{ sites: 'docs.example' }, { sites: ['docs.example'] }],
    [{ sites: 'a.example, b.example' }, { sites: ['a.example', 'b.example'] }],
    [{ sites: [1] }, { sites: ['1'] }],
    [{ filter: '{"price":{"lt":10},"tag":null}' }, { filter: { price: { lt: 10 }, tag: null } }],
    [{ filter: { size: '5' } }, { filter: { size: '5' } }],
    [{ filter: '{"id":4223372036854775806}' }, { filter: { id: 4223372036854775806n } }],
    [{ scores: '{"https://a.example/":"5"}' }, { scores: { 'https://a.example/': 5 } }],
    [{ quotes: '[{"url":"u","at":null}]' }, { quotes: [{ url: 'u' }] }],
    [{ quotes: '{"url":"u"}' }, { quotes: [{ url: 'u' }] }],
    [{ quotes: { url: 'u' } }, { quotes: [{ url: 'u' }] }],
    [{ site: null, most: null, live: null, sites: null, filter: null, quotes: null }, {}],
    [{ most: '', live: '', sites: '', filter: '' }, {}],
    [{ most: 'null', live: 'None', sites: 'null', filter: 'undefined', quotes: ' null ' }, {}],
  ])('reads %o as %o', (given, expected) => {
    expect(read({ query: 'q', ...given })).toEqual({ success: true, data: { query: 'q', live: false, ...expected } })
  })

  it.each([
    [{ most: 'five' }, 'most'],
    [{ most: '5; 6' }, 'most'],
    [{ most: '1e9' }, 'most'],
    [{ live: 'yes' }, 'live'],
    [{ live: 1 }, 'live'],
    [{ query: null }, 'query'],
    [{ query: ['a'] }, 'query'],
    [{ unknown: null }, undefined],
    [{ ['__proto__']: 'x' }, undefined],
  ])('leaves %o to the schema, which names the argument', (given, field) => {
    const { error } = read({ query: 'q', ...given })
    expect(error?.issues[0]?.path[0]).toBe(field)
  })

  it.each([undefined, null])('reads %o as no arguments', given => {
    expect(toolArguments(schema, given)).toEqual({})
  })
})
