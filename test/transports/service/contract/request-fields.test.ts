import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fetchRequest, parseForm, parseRequest, searchRequest } from '../../../../transports/service/index.ts'

describe('reading requests', () => {
  it('fills in the defaults', () => {
    expect(parseRequest(searchRequest, { query: 'a' })).toEqual({
      query: 'a',
      mode: 'pro',
      max_results: 10,
    })
    expect(parseForm(fetchRequest, { url: 'https://example.com/' })).toEqual({
      url: 'https://example.com/',
      max_chars: 50_000,
      live: false,
    })
  })

  it('takes filters that are empty or null for absent', () => {
    const { site, query_time, published_after } = parseRequest(searchRequest, {
      query: 'a',
      site: '',
      query_time: null,
      published_after: '',
    })
    expect([site, query_time, published_after]).toEqual([undefined, undefined, undefined])
  })

  it('reads a form by the types of its schema, so that any schema has one', () => {
    const schema = z.strictObject({ count: z.int(), on: z.boolean(), name: z.string() })
    expect(parseForm(schema, { count: '-3', on: '1', name: '1' })).toEqual({ count: -3, on: true, name: '1' })
  })

  it('knows no field that only objects have', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const form: Record<string, string> = Object.create(null)
      form.query = 'a'
      form[name] = '1'
      expect(() => parseForm(searchRequest, form)).toThrow(`${name}: unknown field`)
    }
  })

  it('says which field is required', () => {
    expect(() => parseRequest(searchRequest, {})).toThrow('query: required')
  })
})
