import { type CalendarDay, commonYear, gregorianDay, isBuddhistYear, isPersianYear } from './calendars.ts'
import { foldedMonth, isEnglishMonth, monthOfFolded, persianMonthOf } from './month-names.ts'

/** A calendar day read from a text, not yet checked, and the index after it. */
export interface ReadDay extends CalendarDay {
  end: number
}

/**
 * Finds the dates in a text that name the month in a word, in the order day month year, month day year, year month day or
 * year day month. The text must be in NFKC with ASCII digits. Time is linear in the text.
 */
export function* wordedDates(text: string): Generator<ReadDay> {
  const tokens = tokensOf(text)
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i].word === '') continue
    const name = monthAt(tokens, i)
    const found = name && dayAround(text, tokens, name)
    if (found) yield found
  }
}

interface Token {
  /** Folded; empty for a number. */
  word: string
  value: number
  start: number
  end: number
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  for (const { 0: written, index } of text.matchAll(/\d+|\p{L}[\p{L}\p{M}]*/gu)) {
    const isNumber = written.charCodeAt(0) < 0x3a
    tokens.push({
      word: isNumber ? '' : foldedMonth(written),
      value: isNumber && written.length <= 4 ? +written : Number.NaN,
      start: index,
      end: index + written.length,
    })
  }
  return tokens
}

/** The name of a month, with the indexes of its first and last token. */
interface MonthName {
  month: number
  calendar: 'gregorian' | 'persian'
  first: number
  last: number
}

const vietnameseMonth = new Set(['thang', 'thg'])
const mongolianMonth = new Set(['сар', 'сарын'])

function monthAt(tokens: readonly Token[], i: number): MonthName | undefined {
  const { word } = tokens[i]
  const before: Token | undefined = tokens[i - 1]
  const after: Token | undefined = tokens[i + 1]
  const named = (month: number, first: number, last: number): MonthName => ({
    month,
    calendar: 'gregorian',
    first,
    last,
  })
  if (vietnameseMonth.has(word))
    return after?.value >= 1 && after.value <= 12 ? named(after.value, i, i + 1) : undefined
  if (mongolianMonth.has(word)) return before?.word === 'р' && i > 1 ? named(tokens[i - 2].value, i - 2, i) : undefined
  if (after !== undefined && after.word !== '') {
    const month = monthOfFolded(`${word} ${after.word}`)
    if (month !== undefined) return named(month, i, i + 1)
  }
  const isOrdinal = before !== undefined && before.word === '' && tokens[i].start - before.end === 2
  const month = monthOfFolded(word, isOrdinal)
  if (month !== undefined) return named(month, i, i)
  const persian = persianMonthOf(word)
  return persian === undefined ? undefined : { month: persian, calendar: 'persian', first: i, last: i }
}

function dayAround(text: string, tokens: readonly Token[], name: MonthName): ReadDay | undefined {
  const before = numberBeside(text, tokens, name.first, -1)
  const after = numberBeside(text, tokens, name.last, 1)
  if (after !== undefined) {
    const year = yearOf(text, tokens[after], name, tokens[name.first].start)
    if (year !== undefined && before !== undefined && isDay(tokens[before]))
      return dayOf(year, name, tokens[before], tokens[after].end)
    // `NIS2` is a name.
    if (!isDay(tokens[after]) || tokens[after].start === tokens[name.last].end) return undefined
    const next = mayComeFirst(tokens[name.first]) ? numberBeside(text, tokens, after, 1) : undefined
    const yearLast = next === undefined ? undefined : yearOf(text, tokens[next], name, tokens[after].end)
    if (next !== undefined && yearLast !== undefined) return dayOf(yearLast, name, tokens[after], tokens[next].end)
    const yearFirst = before === undefined ? undefined : fullYear(tokens[before], name)
    if (yearFirst !== undefined) return dayOf(yearFirst, name, tokens[after], tokens[after].end)
  }
  if (before === undefined || !isDay(tokens[before])) return undefined
  const first = numberBeside(text, tokens, before, -1)
  const year = first === undefined || before - first === 1 ? undefined : fullYear(tokens[first], name)
  return year === undefined ? undefined : dayOf(year, name, tokens[before], tokens[name.last].end)
}

/** Of the languages in Latin letters that write the month first only English has short names that are no common words elsewhere. */
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

function fullYear({ value, start, end }: Token, { calendar }: MonthName): number | undefined {
  if (end - start !== 4) return undefined
  if (calendar === 'persian') return isPersianYear(value) ? value : undefined
  return value < 2200 || isBuddhistYear(value) ? value : undefined
}

/** The year after a month or day that ends at `from`: four digits, or two in `May 5, '20` and `5-May-20`. */
function yearOf(text: string, token: Token, name: MonthName, from: number): number | undefined {
  if (token.end - token.start !== 2) return fullYear(token, name)
  const mark = text[token.start - 1]
  const isShort = mark === "'" || mark === '’' || (mark === '-' && text[from - 1] === '-')
  return isShort ? 2000 + token.value : undefined
}

/** Words between the parts of a date: `de`, `of`, `ta’`, the word or the letter for `year`. */
const fillers = new Set('de d of del do den ta o m gada ж г оны nam พศ คศ'.split(' '))
const MAX_WORDS_BETWEEN = 2
const MAX_SUFFIX_CHARS = 4

/** Index of the number next to a token in one direction, past words that join the parts of a date. */
function numberBeside(text: string, tokens: readonly Token[], from: number, step: 1 | -1): number | undefined {
  for (let i = from + step, words = 0; i >= 0 && i < tokens.length; i += step, words++) {
    const [left, right] = step === 1 ? [tokens[i - 1], tokens[i]] : [tokens[i], tokens[i + 1]]
    if (!isJoined(text, left.end, right.start)) return undefined
    if (tokens[i].word === '') return i
    if (words === MAX_WORDS_BETWEEN) return undefined
    if (!fillers.has(tokens[i].word) && !isSuffix(tokens, i)) return undefined
  }
  return undefined
}

/** `th` in `5th`, `a` in `15-a`: a short word right after a number. */
function isSuffix(tokens: readonly Token[], i: number): boolean {
  const number: Token | undefined = tokens[i - 1]
  const { word, start } = tokens[i]
  return number?.word === '' && start - number.end <= 1 && word.length <= MAX_SUFFIX_CHARS
}

const MAX_GAP_CHARS = 5

function isJoined(text: string, end: number, start: number): boolean {
  if (start - end > MAX_GAP_CHARS) return false
  for (let i = end; i < start; i++) if (!" \t\n\r.,،-–/'’׳॰ʼ".includes(text[i])) return false
  return true
}
