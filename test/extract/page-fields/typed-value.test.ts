import { describe, expect, it } from 'vitest'
import type { FieldType } from '../../../extract/page.ts'
import { typedValue } from '../../../extract/page-fields/typed-value.ts'

const read = (value: unknown, type: FieldType) => typedValue(value, type, 'day-first')

describe('a typed value', () => {
  it.each([
    ['19.90', 19.9],
    ['19,90 €', 19.9],
    ['$1,299.00', 1299],
    ['1.299,00 €', 1299],
    ['1,299', 1299],
    ['1.299', 1.299],
    ['1,299,000', 1_299_000],
    ["CHF 1'299.50", 1299.5],
    ['1 299,50 zł', 1299.5],
    ['-4', -4],
    ['from 5 to 9', 5],
    ['1e3', 1000],
    [7, 7],
    ['4.', 4],
    ['EUR', undefined],
    ['', undefined],
    ['9'.repeat(400), undefined],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', undefined],
    ['1.000.000.000.000.000.000.007', undefined],
    ['90071992547409930.5', 90_071_992_547_409_936],
    [Number.POSITIVE_INFINITY, undefined],
  ])('reads %j as the number %j', (value, number) => {
    expect(read(value, 'number')).toBe(number)
  })

  it.each([
    ['2025-05-01', '2025-05-01T00:00:00.000Z'],
    ['2025-05-01T10:00:00+02:00', '2025-05-01T08:00:00.000Z'],
    ['5 May 2025', '2025-05-05T00:00:00.000Z'],
    ['03/04/2020', '2020-04-03T00:00:00.000Z'],
    ['soon', undefined],
    ['2025-02-31', undefined],
  ])('reads %j as the instant %j', (value, iso) => {
    expect(read(value, 'instant')).toEqual(iso === undefined ? undefined : new Date(iso))
  })

  it('reads booleans and the values of enumerations', () => {
    expect(['true', 'no', false, 'https://schema.org/True', 'maybe'].map(value => read(value, 'boolean'))).toEqual([
      true,
      false,
      false,
      true,
      undefined,
    ])
    expect(read('http://schema.org/InStock', 'keyword')).toBe('InStock')
    expect(read('https://schema.org/a/b', 'keyword')).toBe('https://schema.org/a/b')
  })

  it('reads keywords without extra white space, and repairs half a surrogate pair', () => {
    expect(read('  a \n b ', 'keyword')).toBe('a b')
    expect(read('a\ud800', 'keyword')).toBe('a\ufffd')
    expect(read({ a: 1 }, 'keyword')).toBeUndefined()
    expect(read('x'.repeat(257), 'keyword')).toBeUndefined()
  })

  it('reads texts, which may be longer than keywords', () => {
    expect(read('  A lamp \n of brass ', 'text')).toEqual({ $text: 'A lamp of brass' })
    expect(read('x'.repeat(10_000), 'text')).toEqual({ $text: 'x'.repeat(10_000) })
    expect(read('x'.repeat(10_001), 'text')).toBeUndefined()
  })

  it('counts the length of a text without extra white space, and never cuts it', () => {
    const space = ' '.repeat(300)
    expect(read(`${space}a${space}b`, 'keyword')).toBe('a b')
    expect(read(`${space}${'x'.repeat(257)}`, 'keyword')).toBeUndefined()
    expect(read(`a${space}${'x'.repeat(257)}`, 'keyword')).toBeUndefined()
    expect(read(`a${' '.repeat(20_000)}b`, 'keyword')).toBeUndefined()
  })
})
