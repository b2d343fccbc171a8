import type { StructuredItem } from '../../../core/index.ts'
import { isNamed, termsOf } from './naming.ts'
import { findItems, given, isItem, listOf, memberOf, textOf, typesOf } from './structured-data.ts'
import type { Wizard, WizardAnswer } from './wizard.ts'
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

/** A member of schema.org's ItemAvailability, `instock` and other spellings of it included, or as the page says. */
function availabilityOf(value: unknown): string | undefined {
  const member = memberOf(value)
  const bare = (name: string) => name.replaceAll('_', '')
  return availabilities.find(name => member !== undefined && bare(name) === bare(member)) ?? member
}

/** What one offer asks: its own price, a range, or that of its price specification. */
function priceOfOffer(offer: StructuredItem): Price {
  const specification = listOf(offer.priceSpecification).find(isItem)
  const price = priceOf(offer.price) ?? priceOf(specification?.price)
  const low = priceOf(offer.lowPrice) ?? priceOf(specification?.minPrice)
  const high = priceOf(offer.highPrice) ?? priceOf(specification?.maxPrice)
  const [inner] = listOf(offer.offers).filter(isItem)
  return given({
    price,
    low_price: low,
    high_price: high,
    currency: currencyOf(offer.priceCurrency, specification?.priceCurrency, inner?.priceCurrency, offer.price),
    availability: availabilityOf(offer.availability) ?? availabilityOf(inner?.availability),
  })
}

/** The offers of a product, those inside an aggregate and those of its variants included. */
function offersOf(product: StructuredItem): StructuredItem[] {
  const own = listOf(product.offers).filter(isItem)
  if (own.length > 0) {
    const priced = own.filter(offer => hasPrice(priceOfOffer(offer)))
    return priced.length > 0 ? priced : own.flatMap(offer => listOf(offer.offers).filter(isItem))
  }
  return listOf(product.hasVariant)
    .filter(isItem)
    .flatMap(variant => listOf(variant.offers).filter(isItem))
}

function hasPrice({ price, low_price }: Price): boolean {
  return price !== undefined || low_price !== undefined
}

/** One price of all offers: the only one there is, or the range of those in the first one's currency. */
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
  return { ...shared, ...range, ...(best !== undefined && { availability: best }) }
}

/** A product, or an offer that stands by itself and says of what. */
function isOffered(item: StructuredItem): boolean {
  const types = typesOf(item)
  if (types.some(type => productTypes.has(type))) return true
  return types.some(type => offerTypes.has(type)) && textOf(item.itemOffered) !== undefined
}

function fieldsOf(item: StructuredItem): WizardAnswer['fields'] | undefined {
  const isOffer = typesOf(item).some(type => offerTypes.has(type))
  const offers = isOffer ? [item] : offersOf(item)
  const price = summed(offers)
  const product = isOffer ? (listOf(item.itemOffered).find(isItem) ?? item) : item
  const name = isOffer ? textOf(item.itemOffered) : textOf(item.name)
  if (!price || name === undefined) return undefined
  const rating = listOf(product.aggregateRating).find(isItem)
  const [only] = offers.length === 1 ? offers : []
  const until = timeOf(only?.priceValidUntil)
  return given({
    name,
    brand: textOf(product.brand),
    model: textOf(product.model),
    sku: textOf(product.sku) ?? textOf(product.mpn),
    gtin: textOf(identifiers.map(key => product[key]).find(value => value !== undefined)),
    ...price,
    condition: memberOf(only?.itemCondition ?? product.itemCondition)?.replace(/_condition$/, ''),
    seller: textOf(only?.seller),
    price_valid_until: until.at ?? until.local,
    rating: numberOf(rating?.ratingValue),
    best_rating: numberOf(rating?.bestRating),
    rating_count: numberOf(rating?.reviewCount) ?? numberOf(rating?.ratingCount),
  })
}

/** Prices of products that the query names. */
export const productPrices: Wizard = {
  name: 'product_prices',
  answer: ({ terms, captures }) =>
    captures.flatMap(capture => {
      const seen = new Set<string>()
      return findItems(capture.data, isOffered).flatMap((item): WizardAnswer[] => {
        const fields = fieldsOf(item)
        if (!fields) return []
        const { name, brand, model, sku, gtin } = fields as Record<string, string | undefined>
        if (!isNamed(terms, intent, { names: [name, model, sku, gtin], besides: [brand] })) return []
        // A variant says again what its group said, and microdata what JSON-LD said.
        const key = JSON.stringify([name, sku, fields.price, fields.low_price, fields.currency])
        if (seen.has(key)) return []
        seen.add(key)
        return [{ capture, fields }]
      })
    }),
}
