import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { currencyOf, numberOf, priceOf } from '../../../service/wizards/written-number.ts'

describe('a written number', () => {
  it.each([
    [12.5, 12.5],
    ['12.5', 12.5],
    ['1299', 1299],
    ['1.299', 1.299],
    ['1.299,00 €', 1299],
    ['1,299.00', 1299],
    ['$1,299', 1299],
    ['1.299 €', 1299],
    ['1 299,50', 1299.5],
    ['1\u00a0299,50 zł', 1299.5],
    ["CHF 1'299.00", 1299],
    ['12,99', 12.99],
    ['1.234.567', 1_234_567],
    ['1,234,567.8', 1_234_567.8],
    ['EUR 0,5', 0.5],
    ['-3', -3],
    ['from 19.99 to 29.99', 19.99],
    [['7', '8'], 7],
    [{ '@value': '4.5' }, 4.5],
  ])('of %j is %d', (written, number) => {
    expect(numberOf(written)).toBe(number)
  })

  it.each([
    ['call us'],
    [''],
    [null],
    [undefined],
    [true],
    [{}],
    [[]],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    ['9'.repeat(101)],
  ])('is not made of %j', written => {
    expect(numberOf(written)).toBeUndefined()
  })

  it('is finite, whatever the text', () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), (value, text) => {
        for (const number of [numberOf(value), numberOf(text), numberOf(`${text}1.5`)])
          expect(number === undefined || Number.isFinite(number)).toBe(true)
      }),
    )
  })

  it('is not a price if negative', () => {
    expect(priceOf('-1')).toBeUndefined()
    expect(priceOf('0')).toBe(0)
  })
})

describe('a currency', () => {
  it.each([
    [['EUR'], 'EUR'],
    [['eur'], 'EUR'],
    [[undefined, '1.299,00 €'], 'EUR'],
    [['USD 5'], 'USD'],
    [['£5'], 'GBP'],
    [['$5'], undefined],
    [['toolong'], undefined],
    [[7, null, ['GBP']], 'GBP'],
  ])('of %j is %s', (values, code) => {
    expect(currencyOf(...values)).toBe(code)
  })
})
