import type { StructuredItem } from '@asof/core'

/** A question that the structured data of a page answers, and a check of the answer. */
export interface WizardCase {
  /** Kind of the question, for the report. */
  kind: string
  /** Name of the wizard that should answer. */
  wizard: string
  query: string
  /** Returns true if the fields of an answer agree with the data of the page. */
  isRight: (fields: Readonly<Record<string, unknown>>) => boolean
}

const MAX_NODES = 5_000

/**
 * Returns all items of a page's data, outer ones first. Interprets as little as possible, because the answers of wizards are
 * checked against these items.
 */
function allItems(data: readonly unknown[]): StructuredItem[] {
  const pending: unknown[] = [...data]
  const items: StructuredItem[] = []
  for (let at = 0; at < pending.length && at < MAX_NODES; at++) {
    const value = pending[at]
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value)) items.push(value as StructuredItem)
    pending.push(...Object.values(value))
  }
  return items
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])
const isType = (item: StructuredItem, pattern: RegExp) =>
  listOf(item['@type']).some(type => typeof type === 'string' && pattern.test(type.replace(/^.*[/#:]/, '')))

function nameOf(value: unknown): string | undefined {
  const [first] = listOf(value)
  const name = typeof first === 'object' && first !== null ? (first as StructuredItem).name : first
  return typeof name === 'string' && name.trim() !== '' ? unescaped(name).trim().replace(/\s+/g, ' ') : undefined
}

/** Decodes HTML escapes that templates put into JSON by mistake, since no user types them. */
const unescaped = (text: string) => text.replace(/&amp;/g, '&').replace(/&(?:quot|#0?39|nbsp);/g, ' ')

/** Returns all prices inside a value. */
function pricesUnder(value: unknown): number[] {
  return allItems([value]).flatMap(item =>
    ['price', 'lowPrice', 'highPrice', 'minPrice', 'maxPrice'].flatMap(name =>
      listOf(item[name]).flatMap(price => {
        const written = typeof price === 'number' ? price : typeof price === 'string' ? readPrice(price) : Number.NaN
        return Number.isFinite(written) ? [written] : []
      }),
    ),
  )
}

/** Parses a number, with a point or a comma before two decimals. */
function readPrice(text: string): number {
  const digits = text.replace(/[^\d.,]/g, '')
  if (/^\d+(?:\.\d+)?$/.test(digits)) return Number(digits)
  const cents = /^(.*)[.,](\d\d)$/.exec(digits)
  const whole = (cents?.[1] ?? digits).replace(/[.,]/g, '')
  return whole === '' ? Number.NaN : Number(`${whole}.${cents?.[2] ?? '0'}`)
}

const sameName = (a: unknown, b: string) => typeof a === 'string' && letters(a) === letters(b)
const letters = (text: string) =>
  text
    .replace(/&(?:amp|quot|#0?39|nbsp);/g, ' ')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
    .slice(0, 250)

/** Returns the questions that the data of one page answers, one or two about the first item of each type, as a user would type them. */
export function questionsOf(data: readonly StructuredItem[]): WizardCase[] {
  const items = allItems(data)
  return [
    product(items),
    place(items),
    organization(items),
    match(items),
    company(items),
    rate(items),
    loan(items),
    market(items),
  ].flat()
}

function product(items: readonly StructuredItem[]): WizardCase[] {
  const found = items.find(
    item =>
      isType(item, /^(?:Product|ProductGroup|ProductModel|IndividualProduct|Vehicle|Car)$/) &&
      nameOf(item.name) !== undefined &&
      pricesUnder(item.offers ?? item.hasVariant).length > 0,
  )
  const name = nameOf(found?.name)
  if (!found || name === undefined) return []
  const prices = pricesUnder(found.offers ?? found.hasVariant)
  const isRight: WizardCase['isRight'] = fields =>
    sameName(fields.name, name) &&
    [fields.price, fields.low_price, fields.high_price]
      .filter(price => price !== undefined)
      .every(price => prices.includes(Number(price)))
  const number = ['sku', 'mpn', 'gtin13', 'gtin12', 'gtin', 'isbn']
    .map(key => listOf(found[key])[0])
    .find(value => (typeof value === 'string' || typeof value === 'number') && /^[\w-]{5,40}$/.test(String(value)))
  const ask = (kind: string, query: string) => ({ kind, wizard: 'product_prices', query, isRight })
  const cases = [ask('price of a product by name', `${name} price`)]
  if (number !== undefined) cases.push(ask('price of a product by SKU, MPN or GTIN', `${number} price`))
  return cases
}

const notPlaces =
  /^(?:\w*Organization|Corporation|Person|\w*Event|JobPosting|Brand|\w*Airline|WebSite|WebPage|PostalAddress)$/

function place(items: readonly StructuredItem[]): WizardCase[] {
  const found = items.find(
    item =>
      nameOf(item.name) !== undefined &&
      (item.address !== undefined || item.geo !== undefined) &&
      !isType(item, notPlaces) &&
      item['@type'] !== undefined,
  )
  const name = nameOf(found?.name)
  if (!found || name === undefined) return []
  const telephone = listOf(found.telephone)[0]
  const isRight: WizardCase['isRight'] = fields =>
    sameName(fields.name, name) &&
    (fields.telephone === undefined || letters(String(fields.telephone)) === letters(String(telephone)))
  return [{ kind: 'address of a place by name', wizard: 'places', query: `${name} address`, isRight }]
}

function organization(items: readonly StructuredItem[]): WizardCase[] {
  const found = items.find(
    item =>
      nameOf(item.name) !== undefined &&
      isType(item, /Organization$|^Corporation$/) &&
      (nameOf(item.telephone) !== undefined || textUnder(item.address) !== ''),
  )
  const name = nameOf(found?.name)
  if (!found || name === undefined) return []
  const written = letters(textUnder(found.address))
  const isRight: WizardCase['isRight'] = fields =>
    sameName(fields.name, name) &&
    [fields.street, fields.locality].every(part => part === undefined || written.includes(letters(String(part))))
  return [{ kind: 'address of an organization by name', wizard: 'places', query: `${name} address`, isRight }]
}

/** Returns all texts inside a value, joined, without type names. */
function textUnder(value: unknown): string {
  if (typeof value === 'string') return value
  return allItems([value])
    .flatMap(item => Object.entries(item).flatMap(([key, text]) => (key.startsWith('@') ? [] : listOf(text))))
    .filter(text => typeof text === 'string')
    .join(' ')
    .trim()
}

function match(items: readonly StructuredItem[]): WizardCase[] {
  const found = items.find(
    item => isType(item, /^SportsEvent$/) || (isType(item, /^Event$/) && item.homeTeam !== undefined),
  )
  if (!found) return []
  const [home, away] = [nameOf(found.homeTeam), nameOf(found.awayTeam)]
  const name = home !== undefined && away !== undefined ? `${home} ${away}` : nameOf(found.name)
  if (name === undefined) return []
  const starts = String(listOf(found.startDate)[0] ?? '').slice(0, 10)
  const isRight: WizardCase['isRight'] = fields => {
    const starting = String(fields.starts_at ?? fields.starts_local ?? '').slice(0, 10)
    const near = starting === '' || starts === '' || Math.abs(Date.parse(starting) - Date.parse(starts)) <= 86_400_000
    return near && (home === undefined ? sameName(fields.name, name) : sameName(fields.home_team, home))
  }
  return [{ kind: 'match by its teams or name', wizard: 'sports', query: name, isRight }]
}

function company(items: readonly StructuredItem[]): WizardCase[] {
  const found = items.find(item => nameOf(item.tickerSymbol) !== undefined && nameOf(item.name) !== undefined)
  const [name, symbol] = [nameOf(found?.name), nameOf(found?.tickerSymbol)]
  if (name === undefined || symbol === undefined) return []
  const ticker = symbol.replace(/^.*[:\s]\s*/, '').toUpperCase()
  const isRight: WizardCase['isRight'] = fields => fields.ticker === ticker && sameName(fields.name, name)
  return [
    { kind: 'company by name', wizard: 'finance', query: `${name} stock`, isRight },
    { kind: 'company by ticker symbol', wizard: 'finance', query: ticker, isRight },
  ]
}

function rate(items: readonly StructuredItem[]): WizardCase[] {
  const found = items.find(item => isType(item, /^ExchangeRateSpecification$/))
  const [specified] = listOf(found?.currentExchangeRate) as StructuredItem[]
  const [base, quote] = [nameOf(found?.currency), nameOf(specified?.priceCurrency)]
  if (base === undefined || quote === undefined) return []
  const rates = pricesUnder(found)
  return [
    {
      kind: 'exchange rate',
      wizard: 'finance',
      query: `1 ${base} in ${quote}`,
      isRight: fields => rates.includes(Number(fields.rate)),
    },
  ]
}

function loan(items: readonly StructuredItem[]): WizardCase[] {
  const found = items.find(
    item =>
      nameOf(item.name) !== undefined &&
      isType(
        item,
        /^(?:FinancialProduct|BankAccount|DepositAccount|LoanOrCredit|CreditCard|MortgageLoan|PaymentCard|InvestmentFund|PaymentService)$/,
      ),
  )
  const name = nameOf(found?.name)
  if (name === undefined) return []
  const isRight: WizardCase['isRight'] = fields => sameName(fields.name, name)
  return [{ kind: 'financial product by name', wizard: 'finance', query: `${name} rates`, isRight }]
}

function market(items: readonly StructuredItem[]): WizardCase[] {
  const found = items.find(item => item.outcomes !== undefined || item.outcomePrices !== undefined)
  const question = nameOf(found?.question) ?? nameOf(found?.name)
  if (question === undefined) return []
  const isRight: WizardCase['isRight'] = fields => sameName(fields.question, question)
  return [{ kind: 'prediction market by its question', wizard: 'prediction_markets', query: question, isRight }]
}
