import type { StructuredItem } from '@asof/extract/page'
import { identifierKey } from '../text/terms/identifier.ts'

/**
 * Maximum number of identifiers indexed for one page. The first ones are taken, and those of an item before those of
 * the items inside it.
 */
export const MAX_IDENTIFIERS = 64
const MAX_NODES = 4_000
const MAX_DEPTH = 12
/** Minimum number of digits of an identifier. A shorter number is more likely a position in a list, or the number of a database row. */
const MIN_DIGITS = 4

/** schema.org properties whose value identifies the item. */
const properties = new Set(
  `tickerSymbol sku mpn gtin gtin8 gtin12 gtin13 gtin14 ean upc isbn issn productID isin isinCode leiCode
  vehicleIdentificationNumber`.match(/\w+/g),
)
/** Properties whose items are not the subject of the page. */
const asides = new Set(['isRelatedTo', 'isSimilarTo', 'isAccessoryOrSparePartFor', 'review', 'reviews', 'comment'])
/** Placeholders that templates write when a value is missing. */
const PLACEHOLDER = /^(?:n\/?a|none|null|nil|nan|undefined|default|unknown|true|false|-+|0+)$/i
/** A scheme before the value, such as `isbn:` in `isbn:9783161484100`. */
const SCHEME = /^(?:isbn|issn|ean|upc|gtin(?:8|12|13|14)?|sku|mpn|asin)\s*:\s*/i

/**
 * Returns the distinct identifiers in a page's structured data, as written. These are values of `tickerSymbol`, `sku`,
 * `mpn`, `isbn`, the kinds of `gtin` and the like, `PropertyValue`s with such a `propertyID`, and exchange rates as
 * `EUR/USD`. Returns at most {@link MAX_IDENTIFIERS}. Ignores values of more than 64 characters.
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
  // The loop appends to the list that it iterates over.
  for (const { value, depth } of pending) {
    if (found.size === MAX_IDENTIFIERS) break
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

/** Returns the identifier as written; undefined if the value is not an identifier. */
function writtenIdentifier(value: unknown): string | undefined {
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) return undefined
  const text = String(value)
  if (text.length > 200) return undefined
  const written = text.trim().replace(SCHEME, '').replace(/\s+/g, ' ')
  if (PLACEHOLDER.test(written) || written.split(' ').length > 6) return undefined
  const key = identifierKey(written)
  return key === '' || (/^\d+$/.test(key) && key.length < MIN_DIGITS) ? undefined : written
}

function currencyPair({ currency, currentExchangeRate }: StructuredItem): string | undefined {
  const [rate] = Array.isArray(currentExchangeRate) ? currentExchangeRate : [currentExchangeRate]
  const quote = typeof rate === 'object' && rate !== null ? (rate as StructuredItem).priceCurrency : undefined
  const isCode = (code: unknown): code is string => typeof code === 'string' && /^[A-Za-z]{3}$/.test(code)
  return isCode(currency) && isCode(quote) ? `${currency}/${quote}`.toUpperCase() : undefined
}
