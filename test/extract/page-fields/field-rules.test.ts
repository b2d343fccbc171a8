import { describe, expect, it } from 'vitest'
import { type FieldRules, parseFieldRules } from '../../../extract/page-fields/field-rules.ts'

const typesOf = (fields: FieldRules) => parseFieldRules(fields).rules.map(({ name, type }) => [name, type])

describe('field rules', () => {
  it('have the type that schema.org gives the property, else keyword, unless they name another', () => {
    expect(
      typesOf({
        price: 'json-ld: Product.offers.price',
        day: ['microdata: datePublished', 'css: time'],
        author: 'css: .byline',
        sku: { from: 'json-ld: price', type: 'keyword' },
      }),
    ).toEqual([
      ['price', 'number'],
      ['day', 'instant'],
      ['author', 'keyword'],
      ['sku', 'keyword'],
    ])
  })

  it('name the attributes that their selectors read, also inside of other selectors', () => {
    const { attributes } = parseFieldRules({
      a: 'css: p:not([data-a]) > b:is([Data-B=x], .c):has([data-d])',
      b: 'css: li:nth-child(2 of [data-e])::attr(data-f)',
      c: 'css: input:checked',
    })
    expect(attributes).toEqual(expect.arrayContaining(['data-a', 'data-b', 'data-d', 'data-e', 'data-f', 'checked']))
  })

  it('may look for a text that reads like the selector of :nth-child', () => {
    const { attributes } = parseFieldRules({
      a: 'css: p:contains("Out of stock.")',
      b: 'css: :nth-child(2 OF [data-b])',
    })
    expect(attributes).toContain('data-b')
  })

  it.each<[unknown, string]>([
    [{ price: 'offers.price' }, 'fields.price'],
    [{ price: 'json-ld:' }, 'fields.price'],
    [{ price: 'json-ld: Product' }, 'fields.price'],
    [{ price: 'json-ld: a..b' }, 'fields.price'],
    [{ price: 'css: p[' }, 'fields.price'],
    [{ price: 'css: p::before' }, 'fields.price'],
    [{ price: 'css: p:nonsense' }, 'fields.price'],
    [{ price: 'css: ::attr(href)' }, 'fields.price'],
    [{ price: [] }, 'fields.price'],
    [{ price: ['css: p', 7] }, 'fields.price[1]'],
    [{ price: { from: 'css: p', type: 'texts' } }, 'fields.price.type'],
    [{ price: { from: 'css: p', values: 'last' } }, 'fields.price.values'],
    [{ price: { from: 'css: p', kind: 1 } }, 'fields.price.kind'],
    [{ price: {} }, 'fields.price.from'],
    [{ price: null }, 'fields.price'],
    [{ 'a b': 'css: p' }, 'fields.a b'],
    [{ any: 'css: p' }, 'fields.any'],
    [[], 'fields'],
    [Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`f${i}`, 'css: p'])), 'fields'],
  ])('reject %j at its path', (fields, path) => {
    expect(() => parseFieldRules(fields as FieldRules)).toThrow(
      expect.objectContaining({ code: 'ASOF_INVALID_OPTION', details: expect.objectContaining({ field: path }) }),
    )
  })
})
