import type { StructuredItem } from '@asof/core'
import { answerAbout, isNamedBy, termsOf } from './naming.ts'
import { findItems, given, isStructuredItem, itemTypesOf, listOf, memberOf, valueText } from './structured-data.ts'
import type { Wizard, WizardAnswer, WizardCapture } from './wizard.ts'
import { currencyOf, numberOf, priceOf } from './written-number.ts'
import { timeOf } from './written-time.ts'

const intent = termsOf(
  'price prices pricing cost costs cheap cheapest buy sale deal deals offer offers shop order much',
)
const productTypes = new Set(
  'Product ProductModel ProductGroup IndividualProduct SomeProducts Vehicle Car Motorcycle'.split(' '),
)
const offerTypes = new Set(['Offer', 'AggregateOffer'])
const identifiers = ['gtin', 'gtin13', 'gtin12', 'gtin14', 'gtin8', 'isbn']

interface Price {
  price?: number
  low_price?: number
  high_price?: number
  currency?: string
  availability?: string
}

const availabilities =
  `in_stock out_of_stock pre_order pre_sale back_order sold_out discontinued limited_availability
  in_store_only online_only made_to_order reserved`.match(/\w+/g) ?? []

/**
 * Returns the availability as a member of schema.org's ItemAvailability, ignoring case (`instock`). Returns other
 * values as written.
 */
function availabilityOf(value: unknown): string | undefined {
  const member = memberOf(value)
  const bare = (name: string) => name.replaceAll('_', '')
  return availabilities.find(name => member !== undefined && bare(name) === bare(member)) ?? member
}

/** Returns the price or price range of an offer, from the offer itself or its price specification. */
function priceOfOffer(offer: StructuredItem): Price {
  const specification = listOf(offer.priceSpecification).find(isStructuredItem)
  const price = priceOf(offer.price) ?? priceOf(specification?.price)
  const low = priceOf(offer.lowPrice) ?? priceOf(specification?.minPrice)
  const high = priceOf(offer.highPrice) ?? priceOf(specification?.maxPrice)
  const [inner] = listOf(offer.offers).filter(isStructuredItem)
  const declared = currencyOf(offer.priceCurrency, specification?.priceCurrency, inner?.priceCurrency)
  const written = currencyOf(offer.price)
  // An offer with contradicting values is ignored.
  if (declared !== undefined && written !== undefined && written !== declared) return {}
  if (low !== undefined && high !== undefined && low > high) return {}
  return given({
    price,
    low_price: low,
    high_price: high,
    currency: declared ?? written,
    availability: availabilityOf(offer.availability) ?? availabilityOf(inner?.availability),
  })
}

/**
 * Maximum number of offers of one product. With more, the product is ignored, because the price range would say little.
 */
const MAX_OFFERS = 1_000

/**
 * Returns the offers of a product that have a price. If none has, returns the offers in its aggregate offers or, if it
 * has no offers at all, those of its variants. Empty if there are more than {@link MAX_OFFERS}.
 */
function offersOf(product: StructuredItem): StructuredItem[] {
  const own = itemsOf(product.offers)
  const priced = own.filter(offer => hasPrice(priceOfOffer(offer)))
  const outer = own.length > 0 ? own : itemsOf(product.hasVariant)
  const offers = priced.length > 0 ? priced : outer.flatMap(item => itemsOf(item.offers))
  return Math.max(offers.length, outer.length) > MAX_OFFERS ? [] : offers
}

function itemsOf(value: unknown): StructuredItem[] {
  return (Array.isArray(value) ? value.slice(0, MAX_OFFERS + 1) : [value]).filter(isStructuredItem)
}

function hasPrice({ price, low_price }: Price): boolean {
  return price !== undefined || low_price !== undefined
}

/** Combines offers into one price or price range. Only offers in the currency of the first one count. */
function summed(offers: readonly StructuredItem[]): Price | undefined {
  const prices = offers.map(priceOfOffer).filter(hasPrice)
  const [first] = prices
  if (!first) return undefined
  const comparable = prices.filter(({ currency }) => currency === first.currency)
  const lows = comparable.map(({ price, low_price }) => low_price ?? price ?? 0)
  const highs = comparable.map(({ price, low_price, high_price }) => high_price ?? price ?? low_price ?? 0)
  const [low, high] = [Math.min(...lows), Math.max(...highs)]
  const best = comparable.find(({ availability }) => availability === 'in_stock')?.availability
  const { price: _price, low_price: _low, high_price: _high, ...shared } = first
  const range = low === high ? { price: low } : { low_price: low, high_price: high }
  return { ...shared, ...range, availability: best }
}

/** True for a product, and for an offer that names its product. */
function isOffered(item: StructuredItem): boolean {
  const types = itemTypesOf(item)
  if (types.some(type => productTypes.has(type))) return true
  return types.some(type => offerTypes.has(type)) && valueText(item.itemOffered) !== undefined
}

interface PricedProduct extends Price {
  name: string
  brand?: string
  model?: string
  sku?: string
  gtin?: string
}

function fieldsOf(item: StructuredItem): PricedProduct | undefined {
  const isOffer = itemTypesOf(item).some(type => offerTypes.has(type))
  const offers = isOffer ? [item] : offersOf(item)
  const price = summed(offers)
  const product = isOffer ? (listOf(item.itemOffered).find(isStructuredItem) ?? item) : item
  const name = isOffer ? valueText(item.itemOffered) : valueText(item.name)
  if (!price || name === undefined) return undefined
  const rating = listOf(product.aggregateRating).find(isStructuredItem)
  const [only] = offers.length === 1 ? offers : []
  const until = timeOf(only?.priceValidUntil)
  const fields = given({
    brand: valueText(product.brand),
    model: valueText(product.model),
    sku: valueText(product.sku) ?? valueText(product.mpn),
    gtin: valueText(identifiers.map(key => product[key]).find(value => value !== undefined)),
    ...price,
    condition: memberOf(only?.itemCondition ?? product.itemCondition)?.replace(/_condition$/, ''),
    seller: valueText(only?.seller),
    price_valid_until: until.at ?? until.local,
    rating: numberOf(rating?.ratingValue),
    best_rating: numberOf(rating?.bestRating),
    rating_count: numberOf(rating?.reviewCount) ?? numberOf(rating?.ratingCount),
  })
  return { name, ...fields }
}

/** Returns the prices of the products on one page that the query names. */
function pricesOn(capture: WizardCapture, terms: readonly string[]): WizardAnswer[] {
  const products = new Map<string, PricedProduct>()
  for (const item of findItems(capture.data, isOffered)) {
    const fields = fieldsOf(item)
    if (!fields) continue
    const { name, brand, model, sku, gtin } = fields
    if (!isNamedBy(terms, intent, { names: [name, model, sku, gtin], qualifiers: [brand] })) continue
    // A product may be listed twice: as a variant of its group, or in microdata and in JSON-LD.
    const key = JSON.stringify([name, sku, fields.currency])
    const known = products.get(key)
    products.set(key, known ? withPriceOf(known, fields) : fields)
  }
  return [...products.values()].map(fields => ({ capture, fields: { ...fields } }))
}

/** Combines two prices of one product on one page into a range, because nothing shows which one is right. */
function withPriceOf(known: PricedProduct, other: PricedProduct): PricedProduct {
  const low = Math.min(known.low_price ?? known.price ?? 0, other.low_price ?? other.price ?? 0)
  const high = Math.max(known.high_price ?? known.price ?? 0, other.high_price ?? other.price ?? 0)
  if (low === high) return known
  const { price: _, ...rest } = known
  return { ...rest, low_price: low, high_price: high }
}

/** Answers with prices of products that the query names. */
export const productPrices: Wizard = {
  name: 'product_prices',
  answer: question =>
    answerAbout(question, intent, captures => captures.flatMap(capture => pricesOn(capture, question.terms))),
}
