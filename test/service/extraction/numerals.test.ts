import { describe, expect, it } from 'vitest'
import { decimalSeparator, numeralsIn } from '../../../service/extraction/numerals.ts'
import { processorMs } from '../../processor-time.ts'

const read = (text: string, lang?: string) =>
  Array.from(numeralsIn(text, decimalSeparator(lang)), ({ readings }) => (readings.length > 1 ? readings : readings[0]))

describe('numbers in a text', () => {
  it.each([
    ['1,299.00 €', [1299]],
    ['1.299,00 €', [1299]],
    ['1 299 kr', [1299]],
    ['1’299.50 CHF', [1299.5]],
    ['1.234.567', [1234567]],
    ['12 %', [12]],
    ['$1,5', [1.5]],
    ['-3.5 °C', [-3.5]],
    ['0.125', [0.125]],
    ['from 3 to 5', [3, 5]],
    ['costs 12.', [12]],
  ])('reads %s', (text, numbers) => {
    expect(read(text)).toEqual(numbers)
  })

  it('leaves it to the language whether one separator before three digits is decimal', () => {
    expect(read('1.299')).toEqual([[1299, 1.299]])
    expect(read('1.299', 'de')).toEqual([1299])
    expect(read('1.299', 'en')).toEqual([1.299])
    expect(read('1,299', 'en-US')).toEqual([1299])
    expect(read('1,299', 'de-AT')).toEqual([1.299])
    expect(read('1,299', 'no language')).toEqual([[1299, 1.299]])
  })

  it.each(['2024-05-01', '10:30', '1.2.3', 'A4', 'x12', '3-5', '3 – 5', '1/2', '#7', '12345678901234567890'])(
    'sees no number that stands for itself in %s',
    text => {
      expect(read(text)).toEqual([])
    },
  )

  it('takes linear time', () => {
    for (const text of ['1 111'.repeat(40_000), '1,'.repeat(100_000), '1'.repeat(200_000), '-'.repeat(200_000)]) {
      const reading = () => expect(read(text).length).toBeLessThan(200_000)
      expect(processorMs(reading), text.slice(0, 5)).toBeLessThan(20_000)
    }
  })
})
