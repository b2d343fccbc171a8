import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonFault } from '../../../service/contract/json-fault.ts'

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('the first fault of a text that should be JSON', () => {
  it.each([
    ['', 1, 1, 'a value'],
    ['{"query":"tea"', 1, 15, 'a comma or }'],
    ['{"query" "tea"}', 1, 10, 'a colon'],
    ["{'query': 'tea'}", 1, 2, 'a name in double quotes or }'],
    ['{"a":1,}', 1, 8, 'a name in double quotes'],
    ['[1 2]', 1, 4, 'a comma or ]'],
    ['{"a":\n  tea}', 2, 3, 'a value'],
    ['{"a":01}', 1, 6, 'a value'],
    ['"a\nb"', 1, 1, 'a value'],
    ['{} {}', 1, 4, 'the end of the text'],
  ])('of %j is at line %i, column %i: expected %s', (text, line, column, expected) => {
    expect(jsonFault(text)).toEqual({ line, column, expected })
  })

  it('exists exactly when JSON.parse throws', () => {
    const fragment = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"\\u00e9"',
      '"\\x"',
      '"',
      '1',
      '-0.5e+3',
      '01',
      '1.',
      'true',
      'nul',
      ' ',
      '\n',
      '\v',
    )
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), fragments => {
        const text = fragments.join('')
        expect(jsonFault(text) === undefined).toBe(isJson(text))
      }),
      { numRuns: 3_000 },
    )
    fc.assert(fc.property(fc.json(), text => jsonFault(text) === undefined))
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 2 }), (json, at, inserted) => {
        const place = at % (json.length + 1)
        const text = json.slice(0, place) + inserted + json.slice(place)
        return (jsonFault(text) === undefined) === isJson(text)
      }),
    )
  })
})
