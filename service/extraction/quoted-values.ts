import type { Page } from '@asof/core'
import { type PlacedQuote, QuotableText } from '@asof/core/internal'
import { dayOrder, parseTextDate, type WrittenDate } from '@asof/extract/written-dates'
import { type Range, readableText } from './labels.ts'
import { decimalSeparator, type Numeral, numeralsIn } from './numerals.ts'
import { type Conventions, declaredText, foldedWords, readValue, written } from './value-reading.ts'
import type { LeafSchema, Scalar } from './value-schema.ts'

/** What the extraction of values reads of a page. */
export type ExtractablePage = Pick<
  Page,
  'url' | 'title' | 'markdown' | 'lang' | 'data' | 'fields' | 'author' | 'description' | 'publishedAt' | 'publishedFrom'
>

/** A value of a page, and the passage of the page that states it. */
export interface QuotedValue {
  value: Scalar
  quote: PlacedQuote
}

/** Number of UTF-16 units of the Markdown of a page that are read. */
export const READ_UNITS = 256 * 1024
/** Number of UTF-16 units on both sides of a number in which words of its property are looked for. */
const CONTEXT = 80
/** Maximum number of texts of one page that are read as dates. */
const MAX_DATE_TEXTS = 20_000
/** Maximum number of places of one number, and of places of one value that are tried as quotes. */
const MAX_NUMERALS = 200
const MAX_TRIES = 10
const BEFORE_YEAR = 40
const BEHIND_YEAR = 40
/** Words with at least this many letters in common at the beginning count as related. */
const STEM = 4
/** Words that say nothing about a property. */
const vague = new Set(['count', 'value', 'number', 'total', 'amount'])

/** Finds the quotes that prove values of one page. */
export class QuotedValues {
  readonly text: QuotableText
  readonly conventions: Conventions
  #numerals: Map<number, Numeral[]> | undefined
  #links: Map<string, Range[]> | undefined
  readonly #dates = new Map<string, PlacedDate[]>()
  #dateTexts = 0

  constructor({ url, markdown, lang }: Pick<ExtractablePage, 'url' | 'markdown' | 'lang'>) {
    // A word or a mark that is cut would be read as another one, so a long page ends with a line.
    const whole =
      markdown.length > READ_UNITS ? markdown.slice(0, Math.max(0, markdown.lastIndexOf('\n', READ_UNITS))) : markdown
    this.text = new QuotableText(whole)
    this.conventions = { decimal: decimalSeparator(lang), order: dayOrder(lang === undefined ? [] : [lang], url) }
  }

  /** Reads a range of the Markdown as a value. The range is its quote. */
  read(start: number, end: number, schema: LeafSchema): QuotedValue | undefined {
    const markdown = this.text.markdown.slice(start, end)
    const quote = this.text.quote(start, end)
    return quote && this.#valueOf(quote, readableText(markdown), schema)
  }

  /** Reads the passages with the words of a text, until one is a value. The passage is its quote. */
  readWords(words: string, schema: LeafSchema): QuotedValue | undefined {
    for (const { placed, plain } of this.text.find(words)) {
      const value = this.#valueOf(placed, plain, schema)
      if (value) return value
    }
    return undefined
  }

  #valueOf(quote: PlacedQuote, plain: string, schema: LeafSchema): QuotedValue | undefined {
    const target = schema.format === 'uri' ? onlyTarget(quote.quote) : undefined
    const value = readValue(target ?? plain, schema, this.conventions)
    return value === undefined ? undefined : { value, quote }
  }

  /**
   * Finds the passage of the page that states a value which its structured data declare.
   *
   * @param given - the value as it is declared.
   * @param words - the words of the property. Of several places with a number, the one near such words is chosen.
   */
  quoteOf(value: Scalar, given: unknown, schema: LeafSchema, words: readonly string[]): PlacedQuote | undefined {
    if (typeof value === 'number') return this.#quoteOfNumber(value, words)
    if (typeof value === 'boolean') return undefined
    if (schema.format === 'uri') return this.#quoteOfAddress(value)
    if (schema.format !== undefined) return this.#quoteOfDate(value, schema.format)
    const texts = [value]
    if (schema.allowed) texts.push(foldedWords(value).join(' '))
    if (typeof given === 'string') texts.push(declaredText(given))
    for (const text of new Set(texts)) for (const { placed } of this.text.find(text)) return placed
    if (words.includes('currency') && /^[A-Z]{3}$/.test(value)) return this.#quoteOfCurrency(value)
    return undefined
  }

  #quoteOfNumber(value: number, words: readonly string[]): PlacedQuote | undefined {
    const { plain } = this.text
    this.#numerals ??= numeralsByValue(plain)
    const stems = words.filter(word => word.length >= STEM && !vague.has(word)).map(word => word.slice(0, STEM))
    let best: PlacedQuote | undefined
    let most = -1
    let left = MAX_TRIES
    for (const { start, end } of this.#numerals.get(value) ?? []) {
      const around = contextOf(plain, start, end)
      const related = foldedWords(around).some(word => stems.some(stem => word.startsWith(stem)))
      const money =
        CURRENCY_BEFORE.test(plain.slice(0, start).slice(-AROUND)) ||
        CURRENCY_BEHIND.test(plain.slice(end, end + AROUND))
      const score = (related ? 2 : 0) + (money ? 1 : 0)
      // A short number may be anywhere for another reason.
      if (score <= most || (score === 0 && end - start < LONG_ENOUGH)) continue
      if (left-- === 0) break
      const quote = this.#quoteAround(start, end)
      if (!quote) continue
      best = quote
      most = score
    }
    return best
  }

  /** Returns a number with its currency or percent sign as a quote, or with all that is joined to it. */
  #quoteAround(start: number, end: number): PlacedQuote | undefined {
    const { plain } = this.text
    const before = plain.slice(Math.max(0, start - AROUND), start)
    const behind = plain.slice(end, end + AROUND)
    const from = start - (CURRENCY_BEFORE.exec(before)?.[0].length ?? 0)
    const to = end + (CURRENCY_BEHIND.exec(behind)?.[0].length ?? 0)
    const joinedFrom = start - (/\S*$/.exec(before)?.[0].length ?? 0)
    const joinedTo = end + (/^\S*/.exec(behind)?.[0].length ?? 0)
    return (
      this.text.quoteOfPlain(from, to) ??
      this.text.quoteOfPlain(start, end) ??
      this.text.quoteOfPlain(joinedFrom, joinedTo)
    )
  }

  /** Finds a price in a currency whose sign the page uses in place of the code. */
  #quoteOfCurrency(code: string): PlacedQuote | undefined {
    const sign = signOf(code)
    if (sign === undefined) return undefined
    const { plain } = this.text
    this.#numerals ??= numeralsByValue(plain)
    let left = MAX_TRIES
    for (const { start, end } of [...this.#numerals.values()].flat()) {
      const before = plain.slice(Math.max(0, start - AROUND), start).trimEnd()
      const behind = plain.slice(end, end + AROUND).trimStart()
      if (!before.endsWith(sign) && !behind.startsWith(sign)) continue
      if (left-- === 0) return undefined
      const quote = this.#quoteAround(start, end)
      if (quote?.quote.includes(sign)) return quote
    }
    return undefined
  }

  #quoteOfAddress(address: string): PlacedQuote | undefined {
    this.#links ??= linksOf(this.text.markdown)
    for (const range of this.#links.get(address) ?? []) {
      const quote = this.text.quote(...range)
      if (quote) return quote
    }
    return undefined
  }

  /** Finds a date that is the same day or, in a date with a time, the same minute. The quote is the shortest text that states it. */
  #quoteOfDate(value: string, format: 'date' | 'date-time'): PlacedQuote | undefined {
    const same = this.#datesOf(value.slice(0, 4)).filter(({ date }) => isSame(date, value, format))
    for (const { range } of same.slice(0, MAX_TRIES)) {
      const quote = this.text.quoteOfPlain(...range)
      if (quote) return quote
    }
    return undefined
  }

  /** Returns the dates of a year. */
  #datesOf(year: string): readonly PlacedDate[] {
    const known = this.#dates.get(year)
    if (known) return known
    const { plain } = this.text
    const dates: PlacedDate[] = []
    for (const [start, end] of datePlaces(plain, year)) {
      if (++this.#dateTexts > MAX_DATE_TEXTS) break
      const date = parseTextDate(plain.slice(start, end), this.conventions.order)
      if (date) dates.push({ date, range: trimmed(plain, start, end) })
    }
    this.#dates.set(year, dates)
    return dates
  }
}

/** A date in the plain text. */
interface PlacedDate {
  date: WrittenDate
  range: [start: number, end: number]
}

const AROUND = 24
/** Number of characters from which a number counts as evidence by itself. */
const LONG_ENOUGH = 3
const CURRENCY_BEFORE = /(?:\p{Sc}|(?<!\p{L})[A-Z]{3})[ \u00a0\u202f]?$/u
const CURRENCY_BEHIND = /^[ \u00a0\u202f]?(?:\p{Sc}|%|[A-Z]{3}(?!\p{L}))/u

function contextOf(plain: string, start: number, end: number): string {
  const before = plain.slice(Math.max(0, start - CONTEXT), start)
  const behind = plain.slice(end, end + CONTEXT)
  return `${before.slice(before.lastIndexOf('\n') + 1)} ${behind.split('\n', 1)[0]}`
}

function numeralsByValue(plain: string): Map<number, Numeral[]> {
  const found = new Map<number, Numeral[]>()
  // The declared value decides between the readings, so the language needs not.
  for (const numeral of numeralsIn(plain, undefined))
    for (const reading of numeral.readings) {
      const known = found.get(reading)
      if (!known) found.set(reading, [numeral])
      else if (known.length < MAX_NUMERALS) known.push(numeral)
    }
  return found
}

function signOf(code: string): string | undefined {
  const options = { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' } as const
  const sign = new Intl.NumberFormat('en', options).formatToParts(1).find(({ type }) => type === 'currency')?.value
  return sign === code ? undefined : sign
}

const LINK = /!?\[(?:[^[\]\\]|\\.){0,500}\]\((https?:[^\s()]{1,2000})\)/g

/** Returns where the links to each address are, at most ten of each. */
function linksOf(markdown: string): Map<string, Range[]> {
  const links = new Map<string, Range[]>()
  for (const { 0: link, 1: address = '', index } of markdown.matchAll(LINK)) {
    const places = links.get(address) ?? []
    if (places.length < MAX_LINKS) places.push([index, index + link.length])
    links.set(address, places)
  }
  return links
}

const MAX_LINKS = 10

/** Returns the address of the links in a Markdown text, if all have the same one. */
function onlyTarget(markdown: string): string | undefined {
  const targets = new Set(Array.from(markdown.matchAll(LINK), ([, address]) => address))
  const [only] = targets
  return targets.size === 1 ? only : undefined
}

/** Yields ranges of a text that may be a date of a year, the shortest ranges of each place first. */
function* datePlaces(plain: string, year: string): Generator<[start: number, end: number]> {
  for (const { index } of plain.matchAll(new RegExp(`(?<!\\d)${year}(?!\\d)`, 'g'))) {
    const line = plain.slice(Math.max(0, index - BEFORE_YEAR), index)
    const before = line.slice(line.lastIndexOf('\n') + 1)
    const [behind = ''] = plain.slice(index + 4, index + 4 + BEHIND_YEAR).split('\n', 1)
    const tokens = Array.from(before.matchAll(/(?<!\S)\S/g), ({ index: at }) => index - before.length + at)
    if (!/\S$/.test(before)) tokens.push(index)
    const starts = tokens.reverse()
    const ends = Array.from(
      behind.matchAll(/日|일|(?<=\S|^)(?=\s|$)/g),
      ({ 0: mark, index: at }) => index + 4 + at + mark.length,
    )
    for (const end of ends) for (const start of starts) yield [start, end]
  }
  const short = new RegExp(`(?<![\\d./-])\\d{1,2}([./])\\d{1,2}\\1${year.slice(2)}(?![\\d/.-]*\\d)`, 'g')
  for (const { 0: found, index } of plain.matchAll(short)) yield [index, index + found.length]
}

function isSame(date: WrittenDate, value: string, format: 'date' | 'date-time'): boolean {
  const swapped = date.swapped === undefined ? [] : [{ ...date, iso: date.swapped }]
  return [date, ...swapped].some(one => {
    const said = written(one, format)
    if (said === undefined || format === 'date') return said === value
    return said.slice(0, 16) === value.slice(0, 16) || Math.abs(Date.parse(said) - Date.parse(value)) < 60_000
  })
}

/** Returns a range without punctuation at its ends. */
function trimmed(plain: string, start: number, end: number): [number, number] {
  const text = plain.slice(start, end)
  const before = /^[^\p{L}\p{N}]*/u.exec(text)?.[0].length ?? 0
  const behind = /[^\p{L}\p{N}]*$/u.exec(text)?.[0].length ?? 0
  return [start + before, end - behind]
}
