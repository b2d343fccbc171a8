import { foldWord } from '../text/characters/fold.ts'
import { symbolUnits, type Unit } from './unit-symbols.ts'

/**
 * Spellings of units, by quantity. Each line is one unit: how many base units of the quantity it has, and its spellings, folded. Symbols
 * with prefixes are in `unit-symbols.ts`.
 */
const QUANTITIES: Readonly<Record<string, string>> = {
  time: `
    1e-9 nanosecond nanoseconds
    1e-6 microsecond microseconds
    1e-3 msec millisecond milliseconds millisekunde millisekunden
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
    1e-9 nanometer nanometers nanometre nanometres
    1e-6 micrometer micrometers micrometre micrometres
    1e-3 millimeter millimeters millimetre millimetres
    1e-2 centimeter centimeters centimetre centimetres zentimeter centimetro centimetros centimetri
    1 meter meters metre metres metro metros metri
    1000 kilometer kilometers kilometre kilometres kilometro kilometros chilometro chilometri quilometro quilometros
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
    1e-3 milliliter milliliters millilitre millilitres
    1 liter liters litre litres litro litros litri
    3.785 gal gallon gallons
    1000 m^3 m3`,
  mass: `
    1e-6 mcg microgram micrograms
    1e-3 milligram milligrams milligramm
    1 gram grams gramme grammes gramm gramo gramos grammo grammi
    28.35 oz ounce ounces
    453.6 lb lbs pound pounds pfund
    1000 kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos chilogrammo chilogrammi
    1e6 t ton tons tonne tonnes tonnen tonelada toneladas tonnellate`,
  data: `
    1 bits
    8 byte bytes
    8e3 kilobyte kilobytes
    8e6 megabyte megabytes
    8e9 gigabyte gigabytes
    8e12 terabyte terabytes
    8e15 petabyte petabytes`,
  power: `
    1 watt watts
    1e3 kilowatt kilowatts
    1e6 megawatt megawatts
    1e9 gigawatt gigawatts`,
  energy: `
    4.184 calorie calories`,
  frequency: '1 hertz',
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

const units = new Map<string, Unit[]>()
for (const [quantity, lines] of Object.entries(QUANTITIES))
  for (const line of lines.trim().split('\n')) {
    const [size, ...spellings] = line.trim().split(' ')
    for (const spelling of spellings)
      units.set(spelling, [...(units.get(spelling) ?? []), { quantity, size: Number(size) }])
  }

const RAISED = /^(\p{L}+)\^?(-?[1-4])$/u

/**
 * Returns the units that a word behind a number may name: `km`, `hours`, `s^2`. Symbols that differ only in letter case, such as `mW` and
 * `MW`, are different units.
 */
export function unitsOf(word: string): readonly Unit[] {
  const known = knownUnits(word)
  if (known.length > 0) return known
  const [, base = '', power = ''] = RAISED.exec(word) ?? []
  return knownUnits(base).map(({ quantity, size }) => ({
    quantity: `${quantity}^${power}`,
    size: size ** Number(power),
  }))
}

function knownUnits(word: string): readonly Unit[] {
  const named = units.get(word) ?? units.get(foldWord(word)) ?? units.get(word.toLowerCase()) ?? []
  const symbols = symbolUnits(word)
  // A name and a symbol may have the same letters: `A` is an ampere, or the one of A.M.
  return symbols.length === 0 ? named : named.length === 0 ? symbols : [...symbols, ...named]
}

/** True if two words may name the same unit. Each list has all units that one of the words may name. */
export function mayBeOneUnit(some: readonly Unit[], others: readonly Unit[]): boolean {
  return some.some(({ quantity, size }) => others.some(other => other.quantity === quantity && other.size === size))
}
