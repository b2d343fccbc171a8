import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { currencyQuestion } from '../../../service/wizards/currency-question.ts'
import { processorMs } from '../../processor-time.ts'

describe('a question about an exchange rate', () => {
  it.each([
    ['1 EUR in USD', 'EUR', 'USD', 1],
    ['100 usd to eur', 'USD', 'EUR', 100],
    ['convert 5 GBP in JPY', 'GBP', 'JPY', 5],
    ['€20 in $', 'EUR', 'USD', 20],
    ['20€ in £', 'EUR', 'GBP', 20],
    ['how much is 3 chf in eur?', 'CHF', 'EUR', 3],
    ['how many yen is 100 dollars', 'USD', 'JPY', 100],
    ['1,000.50 usd to eur', 'USD', 'EUR', 1000.5],
    ['5k US dollars in Swiss francs', 'USD', 'CHF', 5000],
    ['a dollar in euros', 'USD', 'EUR', 1],
    ['US$ 50 to A$', 'USD', 'AUD', 50],
    ['100 TRY in ALL', 'TRY', 'ALL', 100],
  ])('has an amount: %s', (query, from, to, amount) => {
    expect(currencyQuestion(query)).toEqual({ from, to, amount })
  })

  it.each([
    ['EUR/USD', 'EUR', 'USD'],
    ['EURUSD', 'EUR', 'USD'],
    ['eur usd', 'EUR', 'USD'],
    ['usd to eur exchange rate today', 'USD', 'EUR'],
    ['exchange rate euro to dollar', 'EUR', 'USD'],
    // This amount means a thousand or one, depending on the country.
    ['1.000 EUR in USD', 'EUR', 'USD'],
  ])('may ask for the rate alone: %s', (query, from, to) => {
    expect(currencyQuestion(query)).toEqual({ from, to })
  })

  it.each([
    'euro',
    'eur in eur',
    'usd eur history',
    'convert pdf to word',
    'all to try',
    'price of milk in usd',
    'how to pay in eur',
    '20 in 30',
    '-5 eur in usd',
    '0 eur in usd',
    '1e999 eur in usd',
    'qqq eur',
  ])('is none: %s', query => {
    expect(currencyQuestion(query)).toBeUndefined()
  })

  it('is parsed from any text without throwing, in bounded time', () => {
    const word = fc.constantFrom(
      'how much',
      'convert',
      '1',
      '€',
      'eur',
      'to',
      'in',
      '/',
      'rate',
      ' ',
      '0.',
      'million',
      'is',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(word, { maxLength: 60 }).map(all => all.join(' ')),
        ),
        query => {
          const asked = currencyQuestion(query)
          if (asked?.amount !== undefined) expect(asked.amount).toBeGreaterThan(0)
        },
      ),
      { numRuns: 2000 },
    )
    expect(processorMs(() => currencyQuestion('how much '.repeat(100_000)))).toBeLessThan(5_000)
  })
})
