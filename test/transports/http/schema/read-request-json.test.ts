import { describe, expect, it } from 'vitest'
import { readJsonBody } from '../../../../transports/http/schema/read-request.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('a JSON body', () => {
  it('is its value', () => {
    expect(readJsonBody(bytes(' {"query": "tea"}\n'))).toEqual({ value: { query: 'tea' } })
  })

  it('is refused with the place where it is not JSON', () => {
    const reason = 'The body is not valid JSON: line 2, column 3: expected a name in double quotes or }.'
    expect(readJsonBody(bytes("{\n  'query': 'tea'}"))).toMatchObject({
      refusal: { kind: 'invalid_request', message: reason, details: [{ path: '', reason }] },
    })
  })

  it('is refused if it is not UTF-8', () => {
    expect(readJsonBody(Uint8Array.of(0x22, 0xff, 0x22))).toMatchObject({
      refusal: { message: 'The body is not valid UTF-8.' },
    })
  })
})
