import { describe, expect, it } from 'vitest'
import { parseValueSchema } from '../../../service/extraction/value-schema.ts'
import { ServiceError } from '../../../service/index.ts'

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

/** The paths and reasons of what a schema is refused for. */
function refusals(schema: unknown): Record<string, string> {
  try {
    parseValueSchema(schema)
    return {}
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return Object.fromEntries(error.details?.map(({ path, reason }) => [path, reason]) ?? [])
  }
}

describe('a schema of values', () => {
  it('is read with its types, formats, limits and texts', () => {
    const schema = object(
      {
        price: { type: ['number', 'null'], minimum: 0, title: 'Preis' },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 5 },
        state: { enum: ['new', 'used', null] },
        maker: object({ name: { type: 'string', minLength: 1 } }),
      },
      { required: ['price'], additionalProperties: false, title: 'Product' },
    )
    expect(parseValueSchema(schema)).toMatchObject({
      kind: 'object',
      title: 'Product',
      properties: [
        { name: 'price', schema: { kind: 'leaf', type: 'number', limits: { minimum: 0 }, title: 'Preis' } },
        { name: 'tags', schema: { kind: 'list', most: 5, items: { kind: 'leaf', type: 'string' } } },
        { name: 'state', schema: { kind: 'leaf', type: 'string', allowed: ['new', 'used'] } },
        { name: 'maker', schema: { kind: 'object' } },
      ],
    })
  })

  it('may be nullable as libraries write it', () => {
    const optional = { anyOf: [{ type: 'integer' }, { type: 'null' }], default: null, title: 'Pages' }
    expect(parseValueSchema(object({ pages: optional }))).toMatchObject({
      properties: [{ schema: { type: 'integer', title: 'Pages' } }],
    })
  })

  it.each<[string, object, string]>([
    ['a reference', { $ref: '#/$defs/a' }, 'schema.properties.a.$ref'],
    ['a regular expression', { type: 'string', pattern: '(a+)+$' }, 'schema.properties.a.pattern'],
    ['alternatives', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'schema.properties.a.anyOf'],
    ['a keyword of another type', { type: 'string', minimum: 1 }, 'schema.properties.a.minimum'],
    ['two types', { type: ['string', 'number'] }, 'schema.properties.a.type'],
    ['no type', {}, 'schema.properties.a.type'],
    ['an unknown type', { type: 'text' }, 'schema.properties.a.type'],
    ['an unknown format', { type: 'string', format: 'email' }, 'schema.properties.a.format'],
    ['values of another type', { type: 'string', enum: [1] }, 'schema.properties.a.enum'],
    [
      'arrays of arrays',
      { type: 'array', items: { type: 'array', items: { type: 'string' } } },
      'schema.properties.a.items',
    ],
    ['an array without items', { type: 'array' }, 'schema.properties.a.items'],
    ['an object without properties', { type: 'object' }, 'schema.properties.a.properties'],
    ['no object', Object('string'), 'schema.properties.a'],
  ])('is refused for %s, with the path', (_what, schema, path) => {
    expect(Object.keys(refusals(object({ a: schema })))).toContain(path)
  })

  it('names every wrong part in one error', () => {
    const schema = object({ a: { type: 'text' }, b: { type: 'string', pattern: 'x' }, c: object({ d: { $ref: '#' } }) })
    expect(Object.keys(refusals(schema)).sort()).toEqual([
      'schema.properties.a.type',
      'schema.properties.b.pattern',
      'schema.properties.c.properties.d.$ref',
    ])
  })

  it('must be an object', () => {
    expect(refusals({ type: 'array', items: { type: 'string' } })).toEqual({ 'schema.type': 'must be object' })
    expect(Object.keys(refusals(null))).toEqual(['schema'])
  })

  it('has at most 4 objects in one another and 64 properties', () => {
    const nested = (levels: number): object =>
      levels === 1 ? object({ a: { type: 'string' } }) : object({ a: nested(levels - 1) })
    expect(refusals(nested(4))).toEqual({})
    expect(Object.values(refusals(nested(5)))).toEqual(['is nested too deep: at most 4 objects in one another'])
    const wide = (count: number) =>
      object(Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, { type: 'string' }])))
    expect(refusals(wide(64))).toEqual({})
    expect(Object.keys(refusals(wide(65)))).toEqual(['schema.properties'])
    expect(Object.keys(refusals(object({ a: wide(40), b: wide(40) })))).toEqual(['schema.properties.b.properties'])
  })

  it('takes no name that sets a prototype', () => {
    const schema: unknown = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')
    expect(Object.keys(refusals(schema))).toEqual(['schema.properties.__proto__'])
  })

  it('is refused in bounded time and with a bounded error, however hostile', () => {
    let deep: object = { type: 'string' }
    for (let i = 0; i < 5_000; i++) deep = { type: 'array', items: deep }
    expect(Object.keys(refusals(object({ a: deep }))).length).toBeLessThan(30)
    const wrong = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`p${i}`, { type: 'x'.repeat(9_999) }]))
    const reasons = refusals(object(wrong))
    expect(Object.keys(reasons)).toHaveLength(20)
    expect(JSON.stringify(reasons).length).toBeLessThan(20_000)
  })
})
