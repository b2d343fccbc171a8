import { describe, expect, it } from 'vitest'
import { parseExactJson, parseJsonWithDigits, prettyJson } from '../../../extract/structured/exact-json.ts'

const ID = '4223372036854775805'

describe('JSON with integers beyond 2^53', () => {
  it('is parsed into their exact values, or into their digits', () => {
    const text = `{"a":${ID},"b":[-${ID}],"c":9007199254740991,"d":9007199254740993.0,"e":"${ID}"}`
    const others = { c: 9_007_199_254_740_991, d: 9_007_199_254_740_992, e: ID }
    expect(parseExactJson(text)).toEqual({ a: BigInt(ID), b: [-BigInt(ID)], ...others })
    expect(parseJsonWithDigits(text)).toEqual({ a: ID, b: [`-${ID}`], ...others })
  })

  it('is formatted with all numbers as written', () => {
    const text = `[${ID},0.1234567890123456789,1.5,"x"]`
    expect(prettyJson(text)).toBe(`[\n  ${ID},\n  0.1234567890123456789,\n  1.5,\n  "x"\n]`)
  })

  it('is rejected if it is not JSON', () => {
    for (const parse of [parseExactJson, parseJsonWithDigits, prettyJson])
      for (const text of ['{', `[${ID}`]) expect(() => parse(text)).toThrow(SyntaxError)
  })
})
