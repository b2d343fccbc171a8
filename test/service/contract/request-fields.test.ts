import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { fetchRequest, parseForm, parseRequest, searchRequest } from '../../../service/index.ts'

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

  it('treats empty and null filters as absent', () => {
    const { site, query_time, published_after } = parseRequest(searchRequest, {
      query: 'a',
      site: '',
      query_time: null,
      published_after: '',
    })
    expect([site, query_time, published_after]).toEqual([undefined, undefined, undefined])
  })

  it('converts a form by the types of its schema', () => {
    const schema = z.strictObject({ count: z.int(), on: z.boolean(), name: z.string() })
    expect(parseForm(schema, { count: '-3', on: '1', name: '1' })).toEqual({ count: -3, on: true, name: '1' })
  })

  it.each([
    [{ sites: ['a.example', 'b.example'] }],
    [{ sites: 'a.example, b.example' }],
    [{ sites: '["a.example","b.example"]' }],
    [{ 'sites[]': ['a.example', 'b.example'] }],
    [{ 'sites[0]': 'a.example', 'sites[1]': 'b.example' }],
    [{ 'sites[]': 'a.example', sites: 'b.example' }],
  ])('reads a list as libraries write it in a query string: %j', form => {
    expect(parseForm(searchRequest, { query: 'a', ...form })).toMatchObject({ sites: ['a.example', 'b.example'] })
  })

  it('reads True and 5.0, as Python and R write them', () => {
    const { typing, max_results } = parseForm(searchRequest, { query: 'a', typing: 'True', max_results: '5.0' })
    expect([typing, max_results]).toEqual([true, 5])
  })

  it('names an unknown list, and the field that other APIs name differently', () => {
    expect(() => parseForm(searchRequest, { query: 'a', 'sitez[]': ['a', 'b'] })).toThrow('sitez[]: unknown field')
    expect(() => parseForm(searchRequest, { query: 'a', include_domains: 'a' })).toThrow('did you mean sites?')
  })

  it('rejects fields named like properties of every object', () => {
    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const form: Record<string, string> = Object.create(null)
      form.query = 'a'
      form[name] = '1'
      expect(() => parseForm(searchRequest, form)).toThrow(`${name}: unknown field`)
    }
  })

  it('names a missing required field', () => {
    expect(() => parseRequest(searchRequest, {})).toThrow('query: required')
  })
})
