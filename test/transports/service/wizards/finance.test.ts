import { describe, expect, it } from 'vitest'
import { finance } from '../../../../transports/service/wizards/finance.ts'
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

  it.each(['stock price', 'power tools', 'nyse'])('says nothing to %j', async query => {
    expect(await answers(query, acme)).toEqual([])
  })

  it('reads a symbol without an exchange, and one behind a code', async () => {
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

  it.each(['euro', 'usd jpy', 'exchange rate', 'usd eur history'])('says nothing to %j', async query => {
    expect(await answers(query, rate)).toEqual([])
  })

  it('survives codes that no currency has', async () => {
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

  it('says nothing when the product is not named', async () => {
    expect(await answers('interest rates', loan)).toEqual([])
    expect(await answers('harbour boats', loan)).toEqual([])
  })
})
