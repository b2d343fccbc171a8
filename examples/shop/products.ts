import type { FieldValue, ObservationInput } from '@asof/core'

/** Days of history that the shop has, the current one included. */
export const DAYS = 366
const DAY_MS = 86_400_000

interface Category {
  name: string
  nouns: readonly string[]
  materials: readonly string[]
  rooms: readonly string[]
  /** Lowest and highest price, euros. */
  prices: readonly [number, number]
}

const categories: readonly Category[] = [
  {
    name: 'Lamps',
    nouns: ['desk lamp', 'floor lamp', 'pendant light', 'wall light', 'reading lamp'],
    materials: ['brass', 'steel', 'paper', 'glass', 'oak'],
    rooms: ['study', 'living room', 'bedroom', 'hallway'],
    prices: [19, 320],
  },
  {
    name: 'Chairs',
    nouns: ['dining chair', 'armchair', 'rocking chair', 'office chair', 'folding chair'],
    materials: ['oak', 'beech', 'rattan', 'leather', 'steel'],
    rooms: ['kitchen', 'living room', 'study', 'garden'],
    prices: [49, 640],
  },
  {
    name: 'Tables',
    nouns: ['coffee table', 'side table', 'dining table', 'writing desk', 'bench'],
    materials: ['oak', 'walnut', 'marble', 'glass', 'steel'],
    rooms: ['living room', 'kitchen', 'study', 'hallway'],
    prices: [79, 900],
  },
  {
    name: 'Shelves',
    nouns: ['bookcase', 'wall shelf', 'shoe rack', 'spice rack', 'ladder shelf'],
    materials: ['pine', 'oak', 'steel', 'bamboo', 'walnut'],
    rooms: ['study', 'kitchen', 'hallway', 'living room'],
    prices: [25, 480],
  },
  {
    name: 'Rugs',
    nouns: ['runner', 'round rug', 'kilim', 'bath mat', 'doormat'],
    materials: ['wool', 'jute', 'cotton', 'linen', 'coir'],
    rooms: ['hallway', 'bedroom', 'living room', 'bathroom'],
    prices: [15, 420],
  },
  {
    name: 'Clocks',
    nouns: ['wall clock', 'alarm clock', 'mantel clock', 'kitchen timer', 'hourglass'],
    materials: ['brass', 'walnut', 'glass', 'steel', 'ceramic'],
    rooms: ['kitchen', 'bedroom', 'living room', 'study'],
    prices: [12, 210],
  },
  {
    name: 'Mugs',
    nouns: ['mug', 'espresso cup', 'tea bowl', 'travel mug', 'milk jug'],
    materials: ['stoneware', 'porcelain', 'enamel', 'glass', 'steel'],
    rooms: ['kitchen', 'study', 'garden', 'dining room'],
    prices: [6, 48],
  },
  {
    name: 'Vases',
    nouns: ['bud vase', 'floor vase', 'pitcher', 'flower pot', 'bowl'],
    materials: ['glass', 'stoneware', 'terracotta', 'brass', 'porcelain'],
    rooms: ['living room', 'dining room', 'hallway', 'garden'],
    prices: [9, 180],
  },
]

const colors = ['black', 'white', 'red', 'blue', 'green', 'yellow', 'natural', 'gray']
const brands = ['Alder & Co', 'Brume', 'Fjellhus', 'Kiln Street', 'Marlow', 'Norrsken', 'Officina Sette', 'Tamarind']
const names =
  'Ada Alma Arne Astrid Aurel Bea Bo Cleo Dag Edda Elio Enid Esme Falk Fern Freya Gale Greta Hanno Hedda Ida Ines Iris Juno Kaj Kit Lark Leif Linus Lotte Mads Maren Mila Moss Nell Nils Odd Ola Orla Otto Pax Pia Rune Saga Sol Sten Tove Ula Vega Wren'.split(
    ' ',
  )
const traits = [
  'made by hand in a small workshop',
  'packed flat and assembled in ten minutes',
  'finished with oil from linseed',
  'tested for thirty years of daily use',
  'sold in numbered batches',
  'repaired free of charge for ten years',
]

/** Days before the current one on which sales begin and end, and the share of the price that is left. */
const sales = [
  { from: 340, to: 326, left: 0.7 },
  { from: 200, to: 186, left: 0.8 },
  { from: 46, to: 39, left: 0.75 },
] as const

/** Random numbers in [0, 1) that are the same in each run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Rounds a price as shops do: 19.90, or 190 from a hundred on. */
function shopPrice(euros: number): number {
  return euros < 100 ? Math.max(1, Math.round(euros)) - 0.1 : Math.round(euros / 5) * 5
}

/**
 * Generates the observations of a shop: each product as it was when it arrived, then its fields whenever its price or stock
 * changed, and its removal if it was discontinued.
 *
 * @param today - midnight UTC of the current day, epoch ms.
 */
export function* generateProducts(count: number, today: number): Generator<ObservationInput> {
  for (let number = 0; number < count; number++) yield* productHistory(number, today)
}

function* productHistory(number: number, today: number): Generator<ObservationInput> {
  const random = randomNumbers(number + 1)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const category = pick(categories)
  const [noun, material, color, brand, name] = [
    pick(category.nouns),
    pick(category.materials),
    pick(colors),
    pick(brands),
    pick(names),
  ]
  const room = pick(category.rooms)
  const title = `${name} ${noun} in ${color === 'natural' ? '' : `${color} `}${material}`
  const text =
    `For the ${room}, by ${brand}. The ${material} is ${pick(traits)}, and ${pick(traits)}. ` +
    `The ${noun} measures ${20 + Math.floor(random() * 160)} cm and weighs ${(0.2 + random() * 12).toFixed(1)} kg.`
  const url = `https://shop.example/${category.name.toLowerCase()}/${name.toLowerCase()}-${number}`
  // Two of three products are older than the history; the others arrived within it.
  const arrival = random() < 0.67 ? DAYS - 1 : Math.floor(random() * (DAYS - 30)) + 15
  const isDiscontinued = random() < 0.08 && arrival > 90
  const end = isDiscontinued ? Math.floor(random() * (arrival - 60)) : -1
  const at = (day: number): number => today - day * DAY_MS
  const released = new Date(at(arrival + (arrival === DAYS - 1 ? Math.floor(random() * 700) : 0)))
  const [least, most] = category.prices
  let price = least * (most / least) ** random()
  let rating = 3 + random() * 2
  const takesPartInSales = random() < 0.4
  const changes = new Set(Array.from({ length: 4 }, () => Math.floor(random() * arrival)))
  let soldOutUntil = -1
  let before = ''
  for (let day = arrival; day > end && day >= 0; day--) {
    if (changes.has(day)) {
      price *= 0.9 + random() * 0.24
      rating = Math.min(5, Math.max(1, rating + random() - 0.5))
      if (random() < 0.25) soldOutUntil = day - 10 - Math.floor(random() * 30)
    }
    const sale = takesPartInSales ? sales.find(({ from, to }) => day <= from && day > to) : undefined
    const fields: Record<string, FieldValue> = {
      category: category.name,
      brand,
      color,
      material,
      released,
      rating: Math.round(rating * 2) / 2,
      price: shopPrice(sale ? price * sale.left : price),
      inStock: day <= soldOutUntil || soldOutUntil < 0,
    }
    if (sale) fields.was = shopPrice(price)
    const state = JSON.stringify(fields)
    if (state !== before) yield { url, title, text, fields, acquiredAt: at(day), publishedAt: released }
    before = state
  }
  if (isDiscontinued && end >= 0) yield { url, removedAt: at(end) }
}
