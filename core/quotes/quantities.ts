import { foldWord } from '../text/characters/fold.ts'
import { monthAt } from './days-and-months.ts'
import type { ChangedWords } from './nearest-passage.ts'
import { type NumberWord, numberWord } from './number-words.ts'
import type { QuoteContradiction } from './quote-verdict.ts'
import { isUnitAt } from './quote-words.ts'
import type { Unit } from './unit-symbols.ts'
import { mayBeOneUnit, unitsOf } from './units.ts'
import { minutesOfDay, writtenNumber } from './written-numbers.ts'

const SYMBOLS = /[\p{Sc}%‰°′″‴]/u
/** The factors that letters directly behind a number stand for. */
const MULTIPLES: Readonly<Record<string, number>> = { k: 1e3, K: 1e3, M: 1e6, m: 1e6, mn: 1e6, bn: 1e9, B: 1e9 }
/** Minimum number of digits of a phone number. Its digits may be written in other groups. */
const PHONE_DIGITS = 7
const MAX_GROUPS = 10
const DIGITS_OR_DASH = /^(?:-|\+?\d[\d/]*)$/

/** A number of one side of a change. */
interface ChangedNumber {
  /** All values that it may have. */
  values: Set<string>
  sign: string
  /** The languages in which it is a number word. Empty for a number in digits. */
  languages: string[]
  /** The index of its word among the words of the side. */
  place: number
}

/** A unit behind a number, or the currency of the number. */
interface ChangedUnit {
  units: readonly Unit[]
  /** True if it is a sign that is written directly at the number, such as % or €. */
  isSymbol: boolean
  place: number
}

interface Quantities {
  numbers: ChangedNumber[]
  units: ChangedUnit[]
}

/** Returns the indexes of the words that are numbers or units. */
export function numbersAmong(side: ChangedWords): Set<number> {
  const { numbers, units } = quantitiesOf(side)
  return new Set([...numbers, ...units].map(({ place }) => place))
}

/** Returns how the numbers and units of two sides contradict each other, without those that both sides have. Undefined if they do not. */
export function differsInNumber(quoted: ChangedWords, onPage: ChangedWords): QuoteContradiction | undefined {
  const [ours, theirs] = [quantitiesOf(quoted), quantitiesOf(onPage)]
  const hadNumbers = ours.numbers.length > 0 && theirs.numbers.length > 0
  const months = [quoted, onPage].map(
    ({ all, numbers }) => new Set(numbers.map(number => String(monthAt(all, number)))),
  )
  cancel(ours.numbers, theirs.numbers, isOneNumber)
  cancel(ours.units, theirs.units, (one, other) => mayBeOneUnit(one.units, other.units))
  // A month in words may be a number on the other side.
  const [numbers, others] = [
    ours.numbers.filter(({ values }) => ![...values].some(value => months[1]!.has(value))),
    theirs.numbers.filter(({ values }) => ![...values].some(value => months[0]!.has(value))),
  ]
  if (numbers.length > 0 && others.length > 0) {
    if (isOneQuantity(ours, theirs) || isOnePhone(quoted, onPage) || isOneTime(quoted, onPage)) return undefined
    if (!numbers.every(number => others.every(other => mayDiffer(number, other)))) return undefined
    const [number, other] = [numbers[0]!, others[0]!]
    if (numbers.length === 1 && others.length === 1 && shareValue(number, other)) return 'sign'
    return isDate(quoted, number) || isDate(onPage, other) || (isYear(quoted, number) && isYear(onPage, other))
      ? 'date'
      : 'number'
  }
  if (numbers.length + others.length > 0) return undefined
  if (ours.units.length > 0 && theirs.units.length > 0)
    return mayBeOneUnit(joinedUnits(quoted), joinedUnits(onPage)) ? undefined : 'unit'
  if (differsInSuffix(quoted, onPage)) return 'unit'
  // Only one unit is left. It contradicts if it is a sign such as %, and the other side has no word for it.
  const [missing] = [...ours.units, ...theirs.units]
  if (!missing?.isSymbol || !hadNumbers || quoted.words.length !== 1 || onPage.words.length !== 1) return undefined
  const bare = ours.units.length > 0 ? onPage : quoted
  const next = bare.all.words[bare.numbers[0]! + 1] ?? ''
  return unitsOf(next).length > 0 ? undefined : 'unit'
}

function quantitiesOf({ all, numbers: places, words }: ChangedWords): Quantities {
  const numbers: ChangedNumber[] = []
  const units: ChangedUnit[] = []
  for (const [place, word] of words.entries()) {
    const before = all.words[places[place]! - 1] ?? ''
    const written = writtenNumber(word)
    if (written) {
      const { sign, unit } = written
      // The values of a version are its spelling and whole numbers, such as 3 for 3.0 and 12000 for 12.000, but not 3.1 for 3.10.
      const values = isVersion(word, before) ? [word, ...written.values.filter(isWhole)] : written.values
      const multiple = MULTIPLES[unit]
      const multiplied = multiple === undefined ? [] : values.map(value => String(Number(value) * multiple))
      numbers.push({ values: new Set([...values, ...multiplied]), sign, languages: [], place })
      const named = unitsOf(unit)
      if (named.length > 0) units.push({ units: named, isSymbol: SYMBOLS.test(unit), place })
      else if (SYMBOLS.test(unit)) units.push({ units: [{ quantity: unit, size: 1 }], isSymbol: true, place })
      continue
    }
    const isUnit = numberWord(before).length > 0 || isUnitAt(all.words, places[place]!)
    const named = isUnit ? unitsOf(word) : []
    if (named.length > 0) {
      units.push({ units: named, isSymbol: false, place })
      continue
    }
    const inWords = numbersOf(word, before)
    if (inWords.length === 0) continue
    const languages = inWords.map(({ language }) => language)
    const last = numbers.at(-1)
    if (last?.place === place - 1 && joinNumbers(last, inWords[0]!.value)) {
      last.place = place
      continue
    }
    numbers.push({ values: new Set(inWords.map(({ value }) => String(value))), sign: '', languages, place })
  }
  return { numbers, units }
}

const ENDS_IN_ZERO = /^\d{1,4}\.\d{0,3}0$/
const BEFORE_VERSION =
  /^(?:v|ver|versions?|releases?|sections?|chapters?|figures?|tables?|kernel|python|node|npm|php|perl|ruby|go|java|kapitel|abschnitt|abbildung|tabelle|chapitre|tableau|capítulo|sección|figura|tabla)$/i

/** True for the number of a version or a section, in which a zero at the end counts: 3.10 is not 3.1. */
function isVersion(word: string, before: string): boolean {
  return ENDS_IN_ZERO.test(word) && (BEFORE_VERSION.test(before) || /^\p{Lu}[\p{L}\p{N}+#-]+$/u.test(before))
}

function isWhole(value: string): boolean {
  return /^\d+$/.test(value)
}

const TENS: ReadonlySet<number> = new Set([20, 30, 40, 50, 60, 70, 80, 90])

/** Returns the numbers that a word may mean. `one` is a number only after tens: `twenty-one`. */
function numbersOf(word: string, before: string): readonly NumberWord[] {
  if (foldWord(word) !== 'one') return numberWord(word)
  const isBehindTens = numberWord(before).some(({ language, value }) => language === 'en' && TENS.has(value))
  return isBehindTens ? [{ language: 'en', value: 1 }] : []
}

/** Multiplies or adds to a number the next word of it: `5 million`, `twenty five`. Returns false if the word is another number. */
function joinNumbers(number: ChangedNumber, value: number): boolean {
  const [known] = [...number.values].map(Number)
  if (known === undefined || Number.isNaN(known)) return false
  if (value >= 100 && known < value) number.values = new Set([String(known * value)])
  else if (known >= 20 && known < 100 && value < 10) number.values = new Set([String(known + value)])
  else return false
  return true
}

/** Removes from two lists the items that both have. */
function cancel<T>(ours: T[], theirs: T[], isOne: (one: T, other: T) => boolean): void {
  for (let i = ours.length - 1; i >= 0; i--) {
    const at = theirs.findLastIndex(other => isOne(ours[i]!, other))
    if (at < 0) continue
    ours.splice(i, 1)
    theirs.splice(at, 1)
  }
}

function shareValue(one: ChangedNumber, other: ChangedNumber): boolean {
  return [...one.values].some(value => other.values.has(value))
}

function isOneNumber(one: ChangedNumber, other: ChangedNumber): boolean {
  return one.sign === other.sign && shareValue(one, other)
}

/** True if two numbers can be compared: number words of one language, or a number in digits and any other number. */
function mayDiffer(one: ChangedNumber, other: ChangedNumber): boolean {
  if (one.languages.length === 0 || other.languages.length === 0) return true
  return one.languages.some(language => other.languages.includes(language))
}

/** Returns the units that all words but numbers name together: `km/h`, which is also written kph. */
function joinedUnits({ words }: ChangedWords): readonly Unit[] {
  return unitsOf(words.filter(word => !writtenNumber(word)).join(''))
}

/** Ends of ordinals, and halves of the day, which may be left out. */
const MAY_BE_MISSING = /^(?:st|nd|rd|th|er|re|e|eme|te|ter|ten|º|ª|[ap]m?|h|uhr)$/i

/** True if the same number has letters behind it on one side that the other side does not have: 5x, 1980s. */
function differsInSuffix(quoted: ChangedWords, onPage: ChangedWords): boolean {
  const sides = [quoted, onPage].map(({ all, numbers, words }) => ({
    number: words.length === 1 ? writtenNumber(words[0]!) : undefined,
    next: all.words[numbers[0]! + 1] ?? '',
  }))
  const [one, other] = sides
  if (!one?.number || !other?.number || one.number.values[0] !== other.number.values[0]) return false
  const [unit, otherUnit] = [one.number.unit, other.number.unit]
  if (unit === otherUnit || [unit, otherUnit].some(end => MAY_BE_MISSING.test(end))) return false
  if (mayBeOneUnit(unitsOf(unit), unitsOf(otherUnit))) return false
  // The side without letters may have the unit in the next word: 5x, 5 times.
  const [bare, end] = unit === '' ? [one, otherUnit] : [other, unit]
  if (unit !== '' && otherUnit !== '') return unit.toLowerCase() !== otherUnit.toLowerCase()
  const next = bare.next.toLowerCase()
  const isThere =
    unitsOf(next).length > 0 ||
    numberWord(next).length > 0 ||
    next.startsWith(end.toLowerCase()) ||
    (end === 'x' && next === 'times')
  return /^\p{L}+$/u.test(end) && !isThere
}

/** True if both sides name the same time of day: 5:30 pm, 5.30 pm and 17:30. */
function isOneTime(quoted: ChangedWords, onPage: ChangedWords): boolean {
  const [one, other] = [quoted, onPage].map(timeIn)
  return one !== undefined && one === other
}

/** Words behind which a number with a point is a time of day. */
const AT_TIME = new Set(
  'at by from until till between around um ab bis von gegen à a às alle dalle ore kl kl. klo om van tot vers dès o о в с до'.split(
    ' ',
  ),
)
const BEHIND_TIME = /^(?:am|pm|a|p|uhr|h|hrs|hours?|noon|uur|ore)$/i

/** Returns the minutes of the day that one side names; undefined if it names no time of day. */
function timeIn({ all, numbers, words }: ChangedWords): number | undefined {
  const places = numbers.filter((_, i) => minutesOfDay(bareTime(words[i]!)) !== undefined)
  const [place] = places
  if (place === undefined || places.length > 1) return undefined
  const word = all.words[place]!
  const next = all.words[place + 1] ?? ''
  const half = /[ap](?=m$)/i.exec(word)?.[0] ?? /^([ap])m?$/i.exec(next)?.[1] ?? ''
  const isTime = word.includes(':') || half !== '' || BEHIND_TIME.test(next) || AT_TIME.has(all.words[place - 1] ?? '')
  if (!isTime) return undefined
  const minutes = minutesOfDay(bareTime(word))!
  if (half === '') return minutes
  return (minutes % 720) + (half.toLowerCase() === 'p' ? 720 : 0)
}

const bareTime = (word: string) => word.replace(/[ap]m$/i, '').replace(/h(?=\d)/, ':')

/** True if both sides have the same quantity in different units: 60 minutes and 1 hour. */
function isOneQuantity(ours: Quantities, theirs: Quantities): boolean {
  const [one, other] = [ours, theirs].map(({ numbers, units }) => {
    const [value] = [...(numbers[0]?.values ?? [])].map(Number)
    const [unit] = units[0]?.units ?? []
    return numbers.length === 1 && unit && value !== undefined
      ? { quantity: unit.quantity, size: value * unit.size }
      : undefined
  })
  if (!one || !other || one.quantity !== other.quantity) return false
  return Math.abs(one.size - other.size) <= 1e-3 * Math.abs(one.size)
}

function isOnePhone(quoted: ChangedWords, onPage: ChangedWords): boolean {
  const [one, other] = [quoted, onPage].map(phoneAt)
  return one === other && one!.length >= PHONE_DIGITS
}

/** Returns the digits around the first number of a change, without the signs and spaces between groups. */
function phoneAt({ all, numbers, words }: ChangedWords): string {
  const first = words.findIndex(word => DIGITS_OR_DASH.test(word))
  if (first < 0) return ''
  const isPart = (at: number) => DIGITS_OR_DASH.test(all.words[at] ?? '')
  let [from, to] = [numbers[first]!, numbers[first]! + 1]
  while (isPart(from - 1) && numbers[first]! - from < MAX_GROUPS) from--
  while (isPart(to) && to - numbers[first]! < MAX_GROUPS) to++
  return all.words.slice(from, to).join('').replace(/[+/-]/g, '')
}

/** True for a number that is written like a year: 1200, but not 1,200.00. */
function isYear({ words }: ChangedWords, { values, place }: ChangedNumber): boolean {
  const isDivided = /\d[^\d]+\d/.test(words[place] ?? '')
  return values.size === 1 && !isDivided && [...values].every(value => /^(?:1\d|20)\d\d$/.test(value))
}

function isDate({ all, numbers }: ChangedWords, { values, place }: ChangedNumber): boolean {
  if (![...values].every(value => /^(?:[12]?\d|3[01]|1\d{3}|20\d\d)$/.test(value))) return false
  const at = numbers[place]!
  return monthAt(all, at - 1) !== undefined || monthAt(all, at + 1) !== undefined
}
