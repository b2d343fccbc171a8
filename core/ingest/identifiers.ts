import type { StructuredItem } from '../page.ts'
import { identifierKey } from '../text/terms/identifier.ts'

/** Identifiers of one page that are indexed; of more the first, the page's own items before those inside them. */
export const MAX_IDENTIFIERS = 64
const MAX_NODES = 4_000
const MAX_DEPTH = 12
/** Shorter numbers are places in a list or rows of a database. */
const LEAST_DIGITS = 4

/** Properties of schema.org whose values identify the thing that has them. */
const properties = new Set(
  `tickerSymbol sku mpn gtin gtin8 gtin12 gtin13 gtin14 ean upc isbn issn productID isin isinCode leiCode
  vehicleIdentificationNumber`.match(/\w+/g),
)
/** Properties under which a page speaks of things other than those that it is about. */
const asides = new Set(['isRelatedTo', 'isSimilarTo', 'isAccessoryOrSparePartFor', 'review', 'reviews', 'comment'])
/** What templates write where there is no value. */
const PLACEHOLDER = /^(?:n\/?a|none|null|nil|nan|undefined|default|unknown|true|false|-+|0+)$/i
/** A scheme before the value, as `productID` has: `isbn:9783161484100`. */
const SCHEME = /^(?:isbn|issn|ean|upc|gtin(?:8|12|13|14)?|sku|mpn|asin)\s*:\s*/i

/**
 * The identifiers that a page's structured data carries, as written, each once: values of `tickerSymbol`, `sku`, `mpn`,
 * `gtin` and its kinds, `isbn` and the like, `PropertyValue`s with such a `propertyID`, and the two currencies of an
 * exchange rate as `EUR/USD`. At most {@link MAX_IDENTIFIERS}, each of at most 64 characters; longer values are ignored.
 */
export function identifiersOf(data: readonly StructuredItem[]): string[] {
  const found = new Set<string>()
  const pending: { value: unknown; depth: number }[] = []
  let room = MAX_NODES
  const push = (values: Iterable<unknown>, depth: number): void => {
    if (depth > MAX_DEPTH) return
    for (const value of values) {
      if (room === 0) return
      if (typeof value !== 'object' || value === null) continue
      room--
      pending.push({ value, depth })
    }
  }
  const add = (value: unknown): void => {
    for (const one of Array.isArray(value) ? value.slice(0, MAX_IDENTIFIERS) : [value]) {
      if (found.size === MAX_IDENTIFIERS) return
      const written = writtenIdentifier(one)
      if (written !== undefined) found.add(written)
    }
  }
  push(data, 0)
  for (let at = 0; at < pending.length && found.size < MAX_IDENTIFIERS; at++) {
    const { value, depth } = pending[at]
    if (Array.isArray(value)) {
      push(value, depth + 1)
      continue
    }
    const item = value as StructuredItem
    const inner: unknown[] = []
    for (const name in item) {
      if (properties.has(name)) add(item[name])
      else if (!asides.has(name) && typeof item[name] === 'object') inner.push(item[name])
    }
    if (typeof item.propertyID === 'string' && properties.has(item.propertyID.trim())) add(item.value)
    if (item.currentExchangeRate !== undefined) add(currencyPair(item))
    push(inner, depth + 1)
  }
  return [...found]
}

/** The identifier as written; `undefined` for a value that identifies nothing. */
function writtenIdentifier(value: unknown): string | undefined {
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) return undefined
  const text = String(value)
  if (text.length > 200) return undefined
  const written = text.trim().replace(SCHEME, '').replace(/\s+/g, ' ')
  if (PLACEHOLDER.test(written) || written.split(' ').length > 6) return undefined
  const key = identifierKey(written)
  return key === '' || (/^\d+$/.test(key) && key.length < LEAST_DIGITS) ? undefined : written
}

function currencyPair({ currency, currentExchangeRate }: StructuredItem): string | undefined {
  const [rate] = Array.isArray(currentExchangeRate) ? currentExchangeRate : [currentExchangeRate]
  const quote = typeof rate === 'object' && rate !== null ? (rate as StructuredItem).priceCurrency : undefined
  const isCode = (code: unknown): code is string => typeof code === 'string' && /^[A-Za-z]{3}$/.test(code)
  return isCode(currency) && isCode(quote) ? `${currency}/${quote}`.toUpperCase() : undefined
}
