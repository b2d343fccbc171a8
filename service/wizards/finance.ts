import type { StructuredItem } from '@asof/core'
import { type CurrencyQuestion, currencyQuestion } from './currency-question.ts'
import { answerAbout, isNamedBy, termsOf } from './naming.ts'
import { findItems, given, isStructuredItem, itemTypesOf, listOf, valueText, valueUrl } from './structured-data.ts'
import { dataAcquiredAt, type Wizard, type WizardAnswer, type WizardCapture } from './wizard.ts'
import { currencyOf, numberOf, priceOf } from './written-number.ts'
import { timeOf } from './written-time.ts'

const corporateIntent = termsOf('stock stocks share shares price quote ticker symbol market cap')
const exchangeIntent = termsOf('exchange rate rates convert converter conversion currency currencies fx forex')
const productIntent = termsOf('rate rates interest apr apy fee fees best compare account')

const productTypes = new Set(
  `FinancialProduct BankAccount DepositAccount CurrencyConversionService InvestmentOrDeposit BrokerageAccount
  InvestmentFund LoanOrCredit CreditCard MortgageLoan PaymentCard PaymentService`.match(/\w+/g),
)

const intents = new Set([...corporateIntent, ...exchangeIntent, ...productIntent])

/**
 * Returns the fields for an item of structured data if the query names the item; otherwise undefined. Each kind of item
 * has such a function.
 */
type Reader = (item: StructuredItem, terms: readonly string[], base: string) => Record<string, unknown> | undefined

const corporation: Reader = (item, terms, base) => {
  const written = valueText(item.tickerSymbol)
  const name = valueText(item.name) ?? valueText(item.legalName)
  if (written === undefined || name === undefined) return undefined
  // In schema.org the exchange comes before the symbol (`XNYS IBM`), but many pages write `NYSE: IBM`.
  const parts = /^([A-Za-z]{2,10})(?:\s*:\s*|\s+)([A-Za-z0-9.^-]{1,15})$/.exec(written)
  const [exchange, ticker] = [parts?.[1], parts?.[2] ?? written]
  if (!isNamedBy(terms, corporateIntent, { names: [name, valueText(item.legalName), ticker], qualifiers: [exchange] }))
    return undefined
  return given({
    kind: 'corporation',
    name,
    ticker: ticker.toUpperCase(),
    exchange: exchange?.toUpperCase(),
    legal_name: valueText(item.legalName),
    isin: valueText(item.isin) ?? valueText(item.isinCode),
    lei: valueText(item.leiCode),
    website: valueUrl(item.url, base),
  })
}

/** An exchange rate on a page: one unit of `base` costs this much in `quote`. */
interface ExchangeRate {
  base: string
  quote: string
  rate: number
  fields: Readonly<Record<string, unknown>>
}

function exchangeRateOf(item: StructuredItem): ExchangeRate | undefined {
  const specified = listOf(item.currentExchangeRate).find(isStructuredItem)
  const price = priceOf(specified?.price) ?? priceOf(item.currentExchangeRate)
  const base = currencyOf(item.currency)
  const quote = currencyOf(specified?.priceCurrency)
  // Some pages give the price of 100 units and say so in `referenceQuantity`.
  const per = listOf(specified?.referenceQuantity).find(isStructuredItem)
  const units = per === undefined ? 1 : priceOf(per.value)
  if (!price || !units || base === undefined || quote === undefined || base === quote) return undefined
  const rate = rounded(price / units)
  const until = timeOf(specified?.validThrough)
  const fields = given({
    kind: 'exchange_rate',
    name: valueText(item.name) ?? `${base}/${quote}`,
    base_currency: base,
    quote_currency: quote,
    rate,
    spread: numberOf(listOf(item.exchangeRateSpread).find(isStructuredItem)?.value ?? item.exchangeRateSpread),
    valid_until: until.at ?? until.local,
  })
  return { base, quote, rate, fields }
}

/** Rounds to 12 significant digits. No rate has more, and binary rounding errors disappear. */
function rounded(value: number): number {
  return Number(value.toPrecision(12))
}

/** Reads rates of currencies that `currencyQuestion` does not know. The query must name both codes. */
const unknownCurrencies: Reader = (item, terms) => {
  const found = exchangeRateOf(item)
  if (!found) return undefined
  const { base, quote, fields } = found
  const asks = (names: string[], qualifiers: string[]) => isNamedBy(terms, exchangeIntent, { names, qualifiers })
  return asks([base], [quote]) && asks([quote], [base]) ? fields : undefined
}

/**
 * Returns the rates on pages for two currencies, the most recently acquired first. If no page has the rate in the
 * direction of the question, inverts those in the other direction.
 */
function exchangeRates(captures: readonly WizardCapture[], { from, to, amount }: CurrencyQuestion): WizardAnswer[] {
  const found = captures
    .toSorted((a, b) => dataAcquiredAt(b) - dataAcquiredAt(a))
    .flatMap(capture =>
      findItems(capture.data, isExchangeRate).flatMap(item => {
        const declared = exchangeRateOf(item)
        return declared ? [{ capture, ...declared }] : []
      }),
    )
  const direct = found.filter(({ base, quote }) => base === from && quote === to)
  const inverse = direct.length > 0 ? [] : found.filter(({ base, quote }) => base === to && quote === from)
  const answers = [...direct, ...inverse].map(({ capture, fields, base, rate }): WizardAnswer => {
    const isInverse = base !== from
    if (amount === undefined && !isInverse) return { capture, fields }
    const units = amount ?? 1
    const conversion = {
      from_currency: from,
      to_currency: to,
      amount: units,
      converted_amount: rounded(isInverse ? units / rate : units * rate),
    }
    return { capture, fields: isInverse ? { ...fields, ...conversion, inverse: true } : { ...fields, ...conversion } }
  })
  return distinct(answers)
}

function isExchangeRate(item: StructuredItem): boolean {
  return itemTypesOf(item).includes('ExchangeRateSpecification')
}

/** Removes equal answers of one page. Many pages have the same data in JSON-LD and microdata. */
function distinct(answers: readonly WizardAnswer[]): WizardAnswer[] {
  const keyed = new Map(answers.map(answer => [`${answer.capture.url} ${JSON.stringify(answer.fields)}`, answer]))
  return [...keyed.values()]
}

/** Parses a percentage: a number, a text, or a QuantitativeValue, which can be a range. */
function percentOf(value: unknown): Record<'value' | 'low' | 'high', number | undefined> {
  const quantity = listOf(value).find(isStructuredItem)
  return {
    value: numberOf(quantity?.value) ?? numberOf(value),
    low: numberOf(quantity?.minValue),
    high: numberOf(quantity?.maxValue),
  }
}

const financialProduct: Reader = (item, terms, base) => {
  const name = valueText(item.name)
  if (name === undefined) return undefined
  const provider = valueText(item.provider) ?? valueText(item.brand)
  const [type = ''] = itemTypesOf(item)
  const words = type.replace(/([a-z])([A-Z])/g, '$1 $2')
  if (!isNamedBy(terms, productIntent, { names: [name], qualifiers: [provider, words] })) return undefined
  const apr = percentOf(item.annualPercentageRate)
  const interest = percentOf(item.interestRate)
  const amount = listOf(item.amount).find(isStructuredItem)
  const fields = given({
    apr: apr.value,
    low_apr: apr.low,
    high_apr: apr.high,
    interest_rate: interest.value,
    low_interest_rate: interest.low,
    high_interest_rate: interest.high,
    fees: valueText(item.feesAndCommissionsSpecification),
    min_amount: priceOf(amount?.minValue),
    max_amount: priceOf(amount?.maxValue),
    currency: currencyOf(item.currency, amount?.currency),
  })
  return given({ kind: 'financial_product', name, type, provider, ...fields, website: valueUrl(item.url, base) })
}

function readerOf(item: StructuredItem): Reader | undefined {
  if (isExchangeRate(item)) return unknownCurrencies
  const types = itemTypesOf(item)
  if (types.some(type => productTypes.has(type))) return financialProduct
  return item.tickerSymbol === undefined ? undefined : corporation
}

/**
 * Answers with listed companies by name or ticker, exchange rates by their two currencies, and financial products by
 * name.
 */
export const finance: Wizard = {
  name: 'finance',
  answer: async question => {
    const { query, terms, captures, search } = question
    const asked = currencyQuestion(query)
    if (asked) {
      const { from, to } = asked
      const others = await search(`${from}/${to} ${to}/${from} exchange rate`)
      const known = new Set(captures.map(({ url }) => url))
      return exchangeRates([...captures, ...others.filter(({ url }) => !known.has(url))], asked)
    }
    const answersIn = (found: readonly WizardCapture[]): WizardAnswer[] =>
      found.flatMap(capture =>
        findItems(capture.data, item => readerOf(item) !== undefined).flatMap((item): WizardAnswer[] => {
          const fields = readerOf(item)?.(item, terms, capture.url)
          return fields ? [{ capture, fields }] : []
        }),
      )
    return distinct(await answerAbout(question, intents, answersIn))
  },
}
