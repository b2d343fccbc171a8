import { describe, expect, it } from 'vitest'
import { bearerToken, presentedKey } from '../../../../transports/http/admission/keys.ts'

describe('the API key of a request', () => {
  it('comes from X-API-Key, else from Authorization: Bearer', () => {
    expect(presentedKey({ 'x-api-key': ' one ' })).toBe('one')
    expect(presentedKey({ authorization: 'Bearer two' })).toBe('two')
    expect(presentedKey({ authorization: 'bearer  two ' })).toBe('two')
    expect(presentedKey({ 'x-api-key': 'one', authorization: 'Bearer two' })).toBe('one')
  })

  it.each([
    ['no key', {}],
    ['an empty key, even beside a bearer token', { 'x-api-key': '', authorization: 'Bearer two' }],
    ['another scheme', { authorization: 'Basic YTpi' }],
  ])('is required: %s is unauthorized', (_, headers) => {
    expect(() => presentedKey(headers)).toThrow(expect.objectContaining({ kind: 'unauthorized' }))
  })
})

it('a bearer token is a single word after the scheme', () => {
  expect(bearerToken({ authorization: 'Bearer a b' })).toBeUndefined()
  expect(bearerToken({ authorization: 'Bearer' })).toBeUndefined()
  expect(bearerToken({})).toBeUndefined()
})
