import { numberOf } from './written-number.ts'

/** A query about an exchange rate. Currencies are ISO 4217 codes. */
export interface CurrencyQuestion {
  from: string
  to: string
  /** The amount to convert, in the currency `from`. Undefined if the query asks only for the rate. */
  amount?: number
}

const MAX_CHARS = 120
const MAX_AMOUNT = 1e15

/**
 * Signs and names of currencies. An ambiguous one means the currency that most people mean by it: `$` is the US dollar,
 * `¥` the yen, `£` the pound sterling.
 */
const meanings: Readonly<Record<string, string>> = {
  $: 'USD',
  US$: 'USD',
  A$: 'AUD',
  AU$: 'AUD',
  C$: 'CAD',
  CA$: 'CAD',
  NZ$: 'NZD',
  HK$: 'HKD',
  S$: 'SGD',
  R$: 'BRL',
  MX$: 'MXN',
  NT$: 'TWD',
  '€': 'EUR',
  '£': 'GBP',
  '¥': 'JPY',
  '￥': 'JPY',
  '₹': 'INR',
  '₩': 'KRW',
  '₽': 'RUB',
  '₺': 'TRY',
  '₪': 'ILS',
  '₴': 'UAH',
  '₫': 'VND',
  '฿': 'THB',
  '₦': 'NGN',
  '₱': 'PHP',
  '₿': 'BTC',
  ZŁ: 'PLN',
  EURO: 'EUR',
  EUROS: 'EUR',
  DOLLAR: 'USD',
  DOLLARS: 'USD',
  BUCKS: 'USD',
  POUND: 'GBP',
  POUNDS: 'GBP',
  STERLING: 'GBP',
  'POUND STERLING': 'GBP',
  'POUNDS STERLING': 'GBP',
  YEN: 'JPY',
  YUAN: 'CNY',
  RENMINBI: 'CNY',
  RMB: 'CNY',
  RUPEE: 'INR',
  RUPEES: 'INR',
  FRANC: 'CHF',
  FRANCS: 'CHF',
  RUBLE: 'RUB',
  RUBLES: 'RUB',
  LIRA: 'TRY',
  ZLOTY: 'PLN',
  ZLOTYS: 'PLN',
  RAND: 'ZAR',
  REAIS: 'BRL',
  SHEKEL: 'ILS',
  SHEKELS: 'ILS',
  BAHT: 'THB',
  BITCOIN: 'BTC',
  BITCOINS: 'BTC',
  BTC: 'BTC',
}
/** Codes that are also English words. In lower case and without an amount they count as words. */
const words = new Set('ALL TRY TOP CUP MOP MAD PEN SOS GEL BOB BAM RON COP ANG AMD LAK ZAR SAR DOP'.split(' '))

let codes: ReadonlyMap<string, string> | undefined

/** Returns the codes of ISO 4217 by code and by English name in capitals, such as `US DOLLAR` for `USD`. */
function knownCodes(): ReadonlyMap<string, string> {
  if (codes) return codes
  const known = new Map<string, string>()
  const names = new Intl.DisplayNames(['en'], { type: 'currency', fallback: 'none' })
  for (const code of Intl.supportedValuesOf('currency')) {
    known.set(code, code)
    const name = names.of(code)?.toUpperCase()
    // The names of former currencies contain years in parentheses.
    if (name === undefined || name.includes('(') || known.has(name)) continue
    known.set(name, code)
    known.set(`${name}S`, code)
  }
  for (const [name, code] of Object.entries(meanings)) known.set(name, code)
  codes = known
  return known
}

const lead =
  /^(?:(?:please|convert(?:er)?|conversion|exchange|change|current|today['’]?s|live|latest|the|of|forex|fx|currency|rates?|price|value|worth|how much|what['’]?s|what|is|are|does|do|it)\s+(?=\S))+/iu
const trail =
  /(?:\s+(?:please|exchange|rates?|today|now|right now|currently|currency|conversion|converter|convert|calculator|forex|fx|live|chart|worth|price|value|cost))+$/iu
const between =
  /^(.+?)(?:\s*(?:\/|=+>?|-+>|→|⇒)\s*|\s+(?:in|to|into|vs\.?|versus|as|for|against|and|is|is in|worth in|equals)\s+)(.+)$/iu
const joined = /^([A-Z]{3})([A-Z]{3})$/
// Two codes or signs next to each other, as in `100 usd eur`.
const sideBySide = /^(.*\S)[ -](\S+)$/u
const howMany = /^how many (.+?) (?:is|are|in|for|to|make|equal|do i get for|can i get for|will i get for) (.+)$/iu
const scales: Readonly<Record<string, number>> = {
  k: 1e3,
  thousand: 1e3,
  m: 1e6,
  mn: 1e6,
  million: 1e6,
  bn: 1e9,
  billion: 1e9,
}
const amountBefore =
  /^((?:\d[\d.,'’\u00a0 ]*)|an?(?= )|one(?= ))\s*(?:(k|thousand|m|mn|million|bn|billion)\b)?\s*(\D.*)$/iu
const amountBehind = /^(\D*?)\s*(\d[\d.,'’\u00a0 ]*)(?:\s*(k|thousand|m|mn|million|bn|billion))?$/iu

interface Money {
  code: string
  amount?: number
}

/**
 * Parses a query about an exchange rate: `1 EUR in USD`, `100 usd to eur`, `convert 5 GBP in JPY`, `EUR/USD`,
 * `€20 in $`, `how much is 3 chf in eur`, `usd eur exchange rate`.
 *
 * @returns undefined for other queries, for a single currency, and for the same currency twice.
 */
export function currencyQuestion(query: string): CurrencyQuestion | undefined {
  if (query.length > MAX_CHARS) return undefined
  const text = query
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[?!.]+$/, '')
    .trim()
  const many = howMany.exec(text)
  const bare = text.replace(lead, '').replace(trail, '').trim()
  const parts: readonly string[] | undefined = many ? many.slice(1).reverse() : splitPair(bare)
  if (!parts) return undefined
  const [from, to] = parts.map(moneyOf)
  if (!from || !to || from.code === to.code || to.amount !== undefined) return undefined
  const isPlainWord = [from, to].some(({ code }) => words.has(code) && !text.includes(code))
  if (isPlainWord && from.amount === undefined) return undefined
  return { from: from.code, to: to.code, amount: from.amount }
}

/** Splits a text into two currencies, each as written and perhaps with an amount. */
function splitPair(text: string): [string, string] | undefined {
  const [, from, to] = between.exec(text) ?? joined.exec(text) ?? sideBySide.exec(text) ?? []
  return from !== undefined && to !== undefined ? [from, to] : undefined
}

function moneyOf(text: string): Money | undefined {
  const written = text.trim()
  const before = amountBefore.exec(written)
  const behind = before ? null : amountBehind.exec(written)
  const [number, scale, name] = before ? [before[1], before[2], before[3]] : [behind?.[2], behind?.[3], behind?.[1]]
  const code = codeOf(name ?? written)
  if (code === undefined) return undefined
  // Whether `1.000` is a thousand or one depends on the country, so the amount is ignored.
  if (number === undefined || /^\d{1,3}\.\d{3}$/.test(number.trim())) return { code }
  const units = /^\d/.test(number) ? numberOf(number.trim()) : 1
  const amount = units === undefined ? 0 : units * (scales[scale?.toLowerCase() ?? ''] ?? 1)
  return amount > 0 && amount <= MAX_AMOUNT ? { code, amount } : undefined
}

function codeOf(written: string): string | undefined {
  const name = written
    .trim()
    .replace(/^(?:the|of)\s+/i, '')
    .toUpperCase()
  return knownCodes().get(name)
}
