import type { StructuredItem } from '../../../core/index.ts'
import { isNamed, termsOf } from './naming.ts'
import { findItems, given, isItem, listOf, textOf, typesOf, urlOf } from './structured-data.ts'
import type { Wizard, WizardAnswer } from './wizard.ts'
import { currencyOf, numberOf, priceOf } from './written-number.ts'

const corporateIntent = termsOf('stock stocks share shares price quote ticker symbol market cap')
const exchangeIntent = termsOf('exchange rate rates convert converter conversion currency currencies fx forex')
const productIntent = termsOf('rate rates interest apr apy fee fees best compare account')

const productTypes = new Set(
  `FinancialProduct BankAccount DepositAccount CurrencyConversionService InvestmentOrDeposit BrokerageAccount
  InvestmentFund LoanOrCredit CreditCard MortgageLoan PaymentCard PaymentService`.match(/\w+/g),
)

/** A kind of finance item: whether the query asks for this one, and its fields. */
type Reader = (item: StructuredItem, terms: readonly string[], base: string) => Record<string, unknown> | undefined

const corporation: Reader = (item, terms, base) => {
  const written = textOf(item.tickerSymbol)
  const name = textOf(item.name) ?? textOf(item.legalName)
  if (written === undefined || name === undefined) return undefined
  // schema.org wants the exchange as a code before the symbol: `XNYS IBM`; many write `NYSE: IBM`.
  const parts = /^([A-Za-z]{2,10})(?:\s*:\s*|\s+)([A-Za-z0-9.^-]{1,15})$/.exec(written)
  const [exchange, ticker] = [parts?.[1], parts?.[2] ?? written]
  if (!isNamed(terms, corporateIntent, { names: [name, textOf(item.legalName), ticker], besides: [exchange] }))
    return undefined
  return given({
    kind: 'corporation',
    name,
    ticker: ticker.toUpperCase(),
    exchange: exchange?.toUpperCase(),
    legal_name: textOf(item.legalName),
    isin: textOf(item.isin) ?? textOf(item.isinCode),
    lei: textOf(item.leiCode),
    website: urlOf(item.url, base),
  })
}

let currencyNames: Intl.DisplayNames | undefined

/** A currency's code and English names: `EUR`, `Euro`. */
function wordsOf(code: string): string[] {
  // Made when it is first needed: it takes longer than all else that starts with it.
  currencyNames ??= new Intl.DisplayNames(['en'], { type: 'currency', fallback: 'none' })
  const name = currencyNames.of(code)
  return name === undefined ? [code] : [code, name]
}

const exchangeRate: Reader = (item, terms) => {
  const specified = listOf(item.currentExchangeRate).find(isItem)
  const rate = priceOf(specified?.price) ?? priceOf(item.currentExchangeRate)
  const base = currencyOf(item.currency)
  const quote = currencyOf(specified?.priceCurrency)
  if (rate === undefined || base === undefined || quote === undefined) return undefined
  const asks = (code: string) => isNamed(terms, exchangeIntent, { names: wordsOf(code), besides: wordsOf(other(code)) })
  const other = (code: string) => (code === base ? quote : base)
  // One currency alone names no rate.
  if (!asks(base) || !asks(quote)) return undefined
  return given({
    kind: 'exchange_rate',
    name: textOf(item.name) ?? `${base}/${quote}`,
    base_currency: base,
    quote_currency: quote,
    rate,
    spread: numberOf(listOf(item.exchangeRateSpread).find(isItem)?.value ?? item.exchangeRateSpread),
  })
}

/** A percentage: a number, a text, or a QuantitativeValue, which may give a range. */
function percentOf(value: unknown): Record<'value' | 'low' | 'high', number | undefined> {
  const quantity = listOf(value).find(isItem)
  return {
    value: numberOf(quantity?.value) ?? numberOf(value),
    low: numberOf(quantity?.minValue),
    high: numberOf(quantity?.maxValue),
  }
}

const financialProduct: Reader = (item, terms, base) => {
  const name = textOf(item.name)
  if (name === undefined) return undefined
  const provider = textOf(item.provider) ?? textOf(item.brand)
  const type = typesOf(item)[0]
  const words = type.replace(/([a-z])([A-Z])/g, '$1 $2')
  if (!isNamed(terms, productIntent, { names: [name], besides: [provider, words] })) return undefined
  const apr = percentOf(item.annualPercentageRate)
  const interest = percentOf(item.interestRate)
  const amount = listOf(item.amount).find(isItem)
  const fields = given({
    apr: apr.value,
    low_apr: apr.low,
    high_apr: apr.high,
    interest_rate: interest.value,
    low_interest_rate: interest.low,
    high_interest_rate: interest.high,
    fees: textOf(item.feesAndCommissionsSpecification),
    min_amount: priceOf(amount?.minValue),
    max_amount: priceOf(amount?.maxValue),
    currency: currencyOf(item.currency, amount?.currency),
  })
  return given({ kind: 'financial_product', name, type, provider, ...fields, website: urlOf(item.url, base) })
}

function readerOf(item: StructuredItem): Reader | undefined {
  const types = typesOf(item)
  if (types.includes('ExchangeRateSpecification')) return exchangeRate
  if (types.some(type => productTypes.has(type))) return financialProduct
  return item.tickerSymbol === undefined ? undefined : corporation
}

/** Listed companies by name or ticker, exchange rates by both currencies, and financial products by name. */
export const finance: Wizard = {
  name: 'finance',
  answer: ({ terms, captures }) =>
    captures.flatMap(capture => {
      const seen = new Set<string>()
      return findItems(capture.data, item => readerOf(item) !== undefined).flatMap((item): WizardAnswer[] => {
        const fields = readerOf(item)?.(item, terms, capture.url)
        const key = JSON.stringify(fields)
        if (!fields || seen.has(key)) return []
        seen.add(key)
        return [{ capture, fields }]
      })
    }),
}
