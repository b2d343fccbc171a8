import { describe, expect, it } from 'vitest'
import { finance } from '../../../service/wizards/finance.ts'
import { fieldsOf } from './wizard-question.ts'

const answers = (query: string, ...data: unknown[]) => fieldsOf(finance, query, ...data)

describe('finance on corporations', () => {
  const acme = {
    '@type': 'Corporation',
    name: 'Acme Tools',
    legalName: 'Acme Tools Incorporated',
    tickerSymbol: 'NYSE: ACM',
    leiCode: '5493001KJTIIGC8Y1R12',
    url: 'https://acme.example/',
  }

  it.each(['acme tools stock', 'ACM share price', 'nyse acm'])('answers %j', async query => {
    expect(await answers(query, acme)).toEqual([
      {
        kind: 'corporation',
        name: 'Acme Tools',
        ticker: 'ACM',
        exchange: 'NYSE',
        legal_name: 'Acme Tools Incorporated',
        lei: '5493001KJTIIGC8Y1R12',
        website: 'https://acme.example/',
      },
    ])
  })

  it.each(['stock price', 'power tools', 'nyse'])('does not answer %j', async query => {
    expect(await answers(query, acme)).toEqual([])
  })

  it('reads a symbol without an exchange, and one after the code of an exchange', async () => {
    expect(await answers('acme', { ...acme, tickerSymbol: 'acm' })).toMatchObject([{ ticker: 'ACM' }])
    expect(await answers('acme', { ...acme, tickerSymbol: 'XNYS ACM' })).toMatchObject([
      { ticker: 'ACM', exchange: 'XNYS' },
    ])
    expect(await answers('acme', { ...acme, tickerSymbol: undefined })).toEqual([])
  })
})

describe('finance on exchange rates', () => {
  const rate = {
    '@type': 'ExchangeRateSpecification',
    currency: 'USD',
    currentExchangeRate: { '@type': 'UnitPriceSpecification', price: '0.9213', priceCurrency: 'EUR' },
    exchangeRateSpread: { '@type': 'MonetaryAmount', value: 0.004 },
  }

  it.each(['usd to eur', 'USD EUR exchange rate', 'convert dollars to euros', 'US dollar in euro'])(
    'answers %j',
    async query => {
      expect(await answers(query, rate)).toEqual([
        {
          kind: 'exchange_rate',
          name: 'USD/EUR',
          base_currency: 'USD',
          quote_currency: 'EUR',
          rate: 0.9213,
          spread: 0.004,
        },
      ])
    },
  )

  it.each(['euro', 'usd jpy', 'exchange rate', 'usd eur history'])('does not answer %j', async query => {
    expect(await answers(query, rate)).toEqual([])
  })

  it('converts the amount of the query', async () => {
    expect(await answers('250 usd in eur', rate)).toEqual([
      {
        kind: 'exchange_rate',
        name: 'USD/EUR',
        base_currency: 'USD',
        quote_currency: 'EUR',
        rate: 0.9213,
        spread: 0.004,
        from_currency: 'USD',
        to_currency: 'EUR',
        amount: 250,
        converted_amount: 230.325,
      },
    ])
  })

  it('inverts a rate if no page has the requested direction, and marks it as inverse', async () => {
    const [inverse, ...others] = await answers('€20 in $', rate)
    expect(others).toEqual([])
    expect(inverse).toMatchObject({
      base_currency: 'USD',
      rate: 0.9213,
      from_currency: 'EUR',
      to_currency: 'USD',
      amount: 20,
      converted_amount: 21.7084554434,
      inverse: true,
    })
    expect(await answers('EUR/USD', rate)).toMatchObject([
      { amount: 1, converted_amount: 1.08542277217, inverse: true },
    ])
    const back = { ...rate, currency: 'EUR', currentExchangeRate: { price: 1.09, priceCurrency: 'USD' } }
    const declared = await answers('€20 in $', rate, back)
    expect(declared).toMatchObject([{ base_currency: 'EUR', rate: 1.09, converted_amount: 21.8 }])
    expect(declared[0]).not.toHaveProperty('inverse')
  })

  it('reads the price of several units', async () => {
    const currentExchangeRate = { price: 0.61, priceCurrency: 'EUR', referenceQuantity: { value: 100 } }
    const yen = { '@type': 'ExchangeRateSpecification', currency: 'JPY', currentExchangeRate }
    expect(await answers('1000 yen in euros', yen)).toMatchObject([{ rate: 0.0061, converted_amount: 6.1 }])
  })

  it('ignores rates that are zero or negative, and rates between the same currency', async () => {
    for (const price of [0, '0', -1, Number.NaN, '', 'free', '9'.repeat(99)])
      expect(await answers('1 usd in eur', { ...rate, currentExchangeRate: { price, priceCurrency: 'EUR' } })).toEqual(
        [],
      )
    expect(await answers('1 usd in eur', { ...rate, currency: 'EUR' })).toEqual([])
    for (const value of [0, -1, 'many'])
      expect(
        await answers('1 usd in eur', {
          ...rate,
          currentExchangeRate: { price: 1, priceCurrency: 'EUR', referenceQuantity: { value } },
        }),
      ).toEqual([])
  })

  it('accepts codes that are not currencies', async () => {
    const odd = { ...rate, currency: 'QQQ' }
    expect(await answers('qqq eur', odd)).toMatchObject([{ base_currency: 'QQQ' }])
    expect(await answers('usd eur', { ...rate, currency: 'not a code' })).toEqual([])
  })
})

describe('finance on financial products', () => {
  const loan = {
    '@type': 'LoanOrCredit',
    name: 'Harbour Home Loan',
    provider: { '@type': 'BankOrCreditUnion', name: 'Harbour Bank' },
    annualPercentageRate: { '@type': 'QuantitativeValue', minValue: 3.1, maxValue: '4,9 %' },
    interestRate: '2.95%',
    feesAndCommissionsSpecification: 'No fees',
    amount: { '@type': 'MonetaryAmount', minValue: 1000, maxValue: '50.000,00', currency: 'EUR' },
  }

  it('answers with rates in percent', async () => {
    expect(await answers('harbour home loan interest', loan)).toEqual([
      {
        kind: 'financial_product',
        name: 'Harbour Home Loan',
        type: 'LoanOrCredit',
        provider: 'Harbour Bank',
        low_apr: 3.1,
        high_apr: 4.9,
        interest_rate: 2.95,
        fees: 'No fees',
        min_amount: 1000,
        max_amount: 50_000,
        currency: 'EUR',
      },
    ])
  })

  it('does not answer if the product is not named', async () => {
    expect(await answers('interest rates', loan)).toEqual([])
    expect(await answers('harbour boats', loan)).toEqual([])
  })
})
