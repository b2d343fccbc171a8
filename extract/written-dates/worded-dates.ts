import { type CalendarDay, commonYear, gregorianDay, isBuddhistYear, isPersianYear } from './calendars.ts'
import { foldMonth, isEnglishMonth, monthOfFolded, persianMonthOf } from './month-names.ts'

/** A day as written in a text. The calendar may not have such a day. */
export interface ReadDay extends CalendarDay {
  /** Offset in the text at which the date ends. */
  end: number
}

/**
 * Finds the dates in a text that name the month by a word. The parts may be in the order day month year, month day
 * year, year month day or year day month. The text must be in NFKC with ASCII digits. The time is linear in the length
 * of the text.
 */
export function* wordedDates(text: string): Generator<ReadDay> {
  const tokens = tokensOf(text)
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i]!.word === '') continue
    const name = monthAt(tokens, i)
    const found = name && dayAround(text, tokens, name)
    if (found) yield found
  }
}

/** A word or a number in a text. */
interface Token {
  /** The folded word; '' for a number. */
  word: string
  /** The number; NaN for a word and for a number of more than four digits. */
  value: number
  start: number
  end: number
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (const { 0: written, index } of text.matchAll(/\d+|\p{L}[\p{L}\p{M}]*/gu)) {
    const isNumber = written.charCodeAt(0) < 0x3a
    tokens.push({
      word: isNumber ? '' : foldMonth(written),
      value: isNumber && written.length <= 4 ? +written : Number.NaN,
      start: index,
      end: index + written.length,
    })
  }
  return tokens
}

/** A month name found in a text, with the indexes of its first and last token. */
interface MonthName {
  month: number
  calendar: 'gregorian' | 'persian'
  first: number
  last: number
}

/** Vietnamese words for "month", which precede the number of the month. */
const vietnameseMonth = new Set(['thang', 'thg'])
/** Mongolian words for "month", which follow the number of the month and a suffix. */
const mongolianMonth = new Set(['сар', 'сарын'])

/** Returns the month name at token `i`, or undefined if the token is no month name. */
function monthAt(tokens: readonly Token[], i: number): MonthName | undefined {
  const { word, start } = tokens[i]!
  const before = tokens[i - 1]
  const after = tokens[i + 1]
  const named = (month: number, first: number, last: number): MonthName => ({
    month,
    calendar: 'gregorian',
    first,
    last,
  })
  if (vietnameseMonth.has(word))
    return after !== undefined && after.value >= 1 && after.value <= 12 ? named(after.value, i, i + 1) : undefined
  if (mongolianMonth.has(word)) return before?.word === 'р' && i > 1 ? named(tokens[i - 2]!.value, i - 2, i) : undefined
  if (after !== undefined && after.word !== '') {
    const month = monthOfFolded(`${word} ${after.word}`)
    if (month !== undefined) return named(month, i, i + 1)
  }
  const isOrdinal = before !== undefined && before.word === '' && start - before.end === 2
  const month = monthOfFolded(word, isOrdinal)
  if (month !== undefined) return named(month, i, i)
  const persian = persianMonthOf(word)
  return persian === undefined ? undefined : { month: persian, calendar: 'persian', first: i, last: i }
}

/** Reads the date around a month name, from the numbers before and after the name. */
function dayAround(text: string, tokens: readonly Token[], name: MonthName): ReadDay | undefined {
  const [firstOfName, lastOfName] = [tokens[name.first]!, tokens[name.last]!]
  const before = numberBeside(text, tokens, name.first, -1)
  const after = numberBeside(text, tokens, name.last, 1)
  const numberBefore = before === undefined ? undefined : tokens[before]
  const numberAfter = after === undefined ? undefined : tokens[after]
  if (after !== undefined && numberAfter !== undefined) {
    const year = yearOf(text, numberAfter, name, firstOfName.start)
    if (year !== undefined && numberBefore !== undefined && isDay(numberBefore))
      return dayOf(year, name, numberBefore, numberAfter.end)
    // The number in a word such as `NIS2` belongs to the word, not to a date.
    if (!isDay(numberAfter) || numberAfter.start === lastOfName.end) return undefined
    const next = mayComeFirst(firstOfName) ? numberBeside(text, tokens, after, 1) : undefined
    const numberNext = next === undefined ? undefined : tokens[next]
    const yearLast = numberNext === undefined ? undefined : yearOf(text, numberNext, name, numberAfter.end)
    if (numberNext !== undefined && yearLast !== undefined) return dayOf(yearLast, name, numberAfter, numberNext.end)
    const yearFirst = numberBefore === undefined ? undefined : fullYear(numberBefore, name)
    if (yearFirst !== undefined) return dayOf(yearFirst, name, numberAfter, numberAfter.end)
  }
  if (before === undefined || numberBefore === undefined || !isDay(numberBefore)) return undefined
  const first = numberBeside(text, tokens, before, -1)
  const year = first === undefined || before - first === 1 ? undefined : fullYear(tokens[first]!, name)
  return year === undefined ? undefined : dayOf(year, name, numberBefore, lastOfName.end)
}

/**
 * True if the month may stand before the day. A short Latin name must be English: short month names of other languages
 * are often ordinary words.
 */
function mayComeFirst({ word }: Token): boolean {
  return word.length > 3 || word > 'zzz' || isEnglishMonth(word)
}

function dayOf(year: number, { month, calendar }: MonthName, { value: day }: Token, end: number): ReadDay | undefined {
  if (calendar === 'gregorian') return { year: commonYear(year), month, day, end }
  const gregorian = gregorianDay({ year, month, day })
  return gregorian && { ...gregorian, end }
}

const isDay = ({ word, value, start, end }: Token): boolean =>
  word === '' && end - start <= 2 && value >= 1 && value <= 31

/** Returns the year if the number has four digits, in the calendar of the month. */
function fullYear({ value, start, end }: Token, { calendar }: MonthName): number | undefined {
  if (end - start !== 4) return undefined
  if (calendar === 'persian') return isPersianYear(value) ? value : undefined
  return value < 2200 || isBuddhistYear(value) ? value : undefined
}

/**
 * Returns the year that a number means: four digits, or two digits marked as a year as in `May 5, '20` and `5-May-20`.
 *
 * @param from - offset at which the previous part of the date starts. In `5-May-20` the hyphens before `May` and before
 *   `20` mark 20 as a year.
 */
function yearOf(text: string, token: Token, name: MonthName, from: number): number | undefined {
  if (token.end - token.start !== 2) return fullYear(token, name)
  const mark = text[token.start - 1]
  const isShort = mark === "'" || mark === '’' || (mark === '-' && text[from - 1] === '-')
  return isShort ? 2000 + token.value : undefined
}

/** Words that may stand between the parts of a date: `de`, `of`, `ta’`, or a word or letter for "year". */
const fillers = new Set('de d of del do den ta o m gada ж г оны nam พศ คศ'.split(' '))
const MAX_WORDS_BETWEEN = 2
const MAX_SUFFIX_CHARS = 4

/** Returns the index of the next number before or after a token, skipping words that join the parts of a date. */
function numberBeside(text: string, tokens: readonly Token[], from: number, step: 1 | -1): number | undefined {
  for (let i = from + step, words = 0; i >= 0 && i < tokens.length; i += step, words++) {
    const token = tokens[i]!
    const [left, right] = step === 1 ? [tokens[i - 1]!, token] : [token, tokens[i + 1]!]
    if (!isJoined(text, left.end, right.start)) return undefined
    if (token.word === '') return i
    if (words === MAX_WORDS_BETWEEN) return undefined
    if (!fillers.has(token.word) && !isSuffix(tokens, i)) return undefined
  }
  return undefined
}

/**
 * True if the token is a short word directly after a number: `th` in `5th`, `a` in `15-a`. The name of a month is not such a word: in
 * `mar. 5 sept. 2023` the weekday mardi precedes the day of September.
 */
function isSuffix(tokens: readonly Token[], i: number): boolean {
  const number = tokens[i - 1]
  const { word, start } = tokens[i]!
  if (number?.word !== '' || start - number.end > 1 || word.length > MAX_SUFFIX_CHARS) return false
  return start === number.end || monthOfFolded(word) === undefined
}

const MAX_GAP_CHARS = 5

/** True if there are only a few spaces and marks between two parts of a date. */
function isJoined(text: string, end: number, start: number): boolean {
  if (start - end > MAX_GAP_CHARS) return false
  for (let i = end; i < start; i++) if (!" \t\n\r.,،-–/'’׳॰ʼ".includes(text.charAt(i))) return false
  return true
}
