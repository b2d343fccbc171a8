import { foldWord } from '../text/characters/fold.ts'

/** Spellings of units, by quantity. Each line is one unit: how many base units of the quantity it has, and its spellings, folded. */
const QUANTITIES: Readonly<Record<string, string>> = {
  time: `
    1e-9 ns nanosecond nanoseconds
    1e-6 µs μs us microsecond microseconds
    1e-3 ms msec millisecond milliseconds millisekunde millisekunden
    1 s sec secs second seconds sek sekunde sekunden seconde secondes segundo segundos secondo secondi seconden
    60 min mins minute minutes minuten minuto minutos minuti minuut
    3600 h hr hrs hour hours std stunde stunden heure heures hora horas ora ore uur uren
    86400 day days tag tage tagen jour jours dia dias giorno giorni dag dagen
    604800 week weeks woche wochen semaine semaines semana semanas settimana settimane weken
    2592000 month months monat monate monaten mois mes meses mese mesi maand maanden
    31536000 yr yrs year years jahr jahre jahren an ans annee annees ano anos anno anni jaar jaren
    315360000 decade decades jahrzehnt jahrzehnte decennie decennies decada decadas decennio decenni
    3153600000 century centuries jahrhundert jahrhunderte siecle siecles siglo siglos secolo secoli seculo seculos eeuw eeuwen`,
  length: `
    1e-9 nm nanometer nanometers nanometre nanometres
    1e-6 µm μm micrometer micrometers micrometre micrometres
    1e-3 mm millimeter millimeters millimetre millimetres
    1e-2 cm centimeter centimeters centimetre centimetres zentimeter centimetro centimetros centimetri
    1 m meter meters metre metres metro metros metri
    1000 km kilometer kilometers kilometre kilometres kilometro kilometros chilometro chilometri quilometro quilometros
    0.0254 inch inches zoll
    0.3048 ft foot feet
    0.9144 yd yard yards
    1609.344 mi mile miles meile meilen milla millas miglio miglia`,
  area: `
    1 m^2 m2 sqm
    1e4 ha hectare hectares hektar
    1e6 km^2 km2
    4046.856 acre acres`,
  volume: `
    1e-3 ml milliliter milliliters millilitre millilitres
    1e-2 cl
    1 l liter liters litre litres litro litros litri
    3.785 gal gallon gallons
    1000 m^3 m3`,
  mass: `
    1e-6 µg μg mcg microgram micrograms
    1e-3 mg milligram milligrams milligramm
    1 g gram grams gramme grammes gramm gramo gramos grammo grammi
    28.35 oz ounce ounces
    453.6 lb lbs pound pounds pfund
    1000 kg kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos chilogrammo chilogrammi
    1e6 t ton tons tonne tonnes tonnen tonelada toneladas tonnellate`,
  data: `
    1 bit bits
    8 b byte bytes
    8e3 kb kilobyte kilobytes
    8192 kib
    8e6 mb megabyte megabytes
    8388608 mib
    8e9 gb gigabyte gigabytes
    8589934592 gib
    8e12 tb terabyte terabytes
    8e15 pb petabyte petabytes`,
  power: `
    1 w watt watts
    1e3 kw kilowatt kilowatts
    1e6 mw megawatt megawatts
    1e9 gw gigawatt gigawatts`,
  energy: `
    1 wh
    1e3 kwh
    1e6 mwh
    1e9 gwh
    1e12 twh
    4.184 cal calorie calories
    4184 kcal`,
  frequency: `
    1 hz hertz
    1e3 khz
    1e6 mhz
    1e9 ghz`,
  speed: `
    1 km/h kmh kph
    1.609 mph
    1.852 kn knot knots knoten`,
  temperature: `
    1 c celsius
    2 f fahrenheit
    3 k kelvin`,
  half: `
    1 am a
    2 pm p`,
  share: `
    1 % percent pct prozent pourcent procent
    0.1 ‰ permille promille`,
  dollar: '1 $ usd dollar dollars dolar dolares dollari',
  euro: '1 € eur euro euros',
  pound: '1 £ gbp sterling',
  yen: '1 ¥ jpy yen',
  yuan: '1 cny rmb yuan',
  rupee: '1 ₹ inr rupee rupees',
  franc: '1 chf franken franc francs',
  krona: '1 sek dkk nok krona kronor krone kroner kronen crown crowns',
  ruble: '1 ₽ rub ruble rubles rouble roubles',
  won: '1 ₩ krw won',
  zloty: '1 pln zloty zlotys',
  bitcoin: '1 ₿ btc bitcoin bitcoins',
}

/** A unit of a quantity. */
export interface Unit {
  quantity: string
  /** Number of base units of the quantity. */
  size: number
}

const units = new Map<string, Unit[]>()
for (const [quantity, lines] of Object.entries(QUANTITIES))
  for (const line of lines.trim().split('\n')) {
    const [size, ...spellings] = line.trim().split(' ')
    for (const spelling of spellings)
      units.set(spelling, [...(units.get(spelling) ?? []), { quantity, size: Number(size) }])
  }

/** Returns the units that a word behind a number may name. `m` and `M` are other units: what only the case tells apart counts as both. */
export function unitsOf(word: string): readonly Unit[] {
  const folded = foldWord(word)
  return units.get(word) ?? units.get(folded) ?? units.get(word.toLowerCase()) ?? []
}

/** True if two units may be one. */
export function mayBeOneUnit(some: readonly Unit[], others: readonly Unit[]): boolean {
  return some.some(({ quantity, size }) => others.some(other => other.quantity === quantity && other.size === size))
}
