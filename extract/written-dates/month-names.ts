import { monthsByLanguage } from './months-by-language.ts'

/**
 * Months, 1 to 12, by their folded names in all languages. If two languages use one name for different months, the
 * language listed first decides.
 */
const months = new Map<string, number>()
for (const names of Object.values(monthsByLanguage)) addMonths(months, names)

/**
 * Croatian month names. Some of them mean another month in Polish or Czech. A date is Croatian if its day ends with a
 * full stop.
 */
const croatianMonths = new Map<string, number>()
addMonths(croatianMonths, monthsByLanguage.hr!)

const englishMonths = new Map<string, number>()
addMonths(englishMonths, monthsByLanguage.en!)

/** Months of the Solar Hijri calendar, Farvardin to Esfand, in Persian and Dari spelling. */
const persianMonths = new Map<string, number>()
addMonths(
  persianMonths,
  'فروردین حمل,اردیبهشت ثور,خرداد جوزا,تیر سرطان,مرداد اسد,شهریور سنبله,مهر میزان,ابان عقرب,اذر قوس,دی جدی,بهمن دلو,اسفند حوت',
)

function addMonths(to: Map<string, number>, names: string): void {
  for (const [index, same] of names.split(',').entries()) {
    for (const name of same.split(' ')) {
      const folded = name.replace('_', ' ')
      if (!to.has(folded)) to.set(folded, index + 1)
    }
  }
}

/** Returns the month, 1 to 12, that a word names in any of about a hundred languages; `undefined` for other words. */
export function monthOf(word: string): number | undefined {
  return monthOfFolded(foldMonth(word))
}

/**
 * Like {@link monthOf}, for a folded word.
 *
 * @param isOrdinal - true if the day before the word ends with a full stop: `5. listopada` is 5 October in Croatian, and
 *   `5 listopada` is 5 November in Polish.
 */
export function monthOfFolded(folded: string, isOrdinal = false): number | undefined {
  // In Hebrew the prefix bet ("in") may be joined to the name.
  const name = folded.charCodeAt(0) === HEBREW_BET && !months.has(folded) ? folded.slice(1) : folded
  return (isOrdinal ? croatianMonths.get(name) : undefined) ?? months.get(name)
}

const HEBREW_BET = 0x5d1

/** True for the English name or abbreviation of a month. */
export function isEnglishMonth(folded: string): boolean {
  return englishMonths.has(folded)
}

/** Returns the month of the Solar Hijri calendar, 1 to 12, that a folded word names; `undefined` for other words. */
export function persianMonthOf(folded: string): number | undefined {
  return persianMonths.get(folded)
}

/** Converts a word to lower case, removes accents, vowel points, nuktas and invisible characters, and unifies yeh and kaf. */
export function foldMonth(word: string): string {
  const lower = word.toLowerCase()
  if (!/[^a-z]/.test(lower)) return lower
  return lower
    .normalize('NFD')
    .replace(/[\u0300-\u036f\u0640\u064b-\u065f\u0670\u200b-\u200f\u0591-\u05c7\u093c\u09bc\u0a3c\u0abc\u0b3c]/g, '')
    .replace(/[يى]/g, 'ی')
    .replaceAll('ك', 'ک')
    .replaceAll('ı', 'i')
}
