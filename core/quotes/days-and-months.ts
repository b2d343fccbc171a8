import { monthOf } from '@asof/extract/written-dates'
import { foldWord } from '../text/characters/fold.ts'
import type { TextWords } from './quote-words.ts'

const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'sv',
  'da',
  'nb',
  'fi',
  'pl',
  'cs',
  'ro',
  'ca',
  'hu',
  'tr',
  'ru',
  'uk',
  'el',
]
/** A Sunday and the six days after it, epoch ms. */
const DAYS = Array.from({ length: 7 }, (_, i) => Date.UTC(2023, 0, 1 + i))

let days: ReadonlyMap<string, number> | undefined

/** Returns the names of the days, folded. Made when first needed, because the formats take long to make. */
function namesOfDays(): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const language of LANGUAGES) {
    const format = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' })
    for (const [day, at] of DAYS.entries()) {
      const [name = ''] = format.format(at).split(/[-\s]/)
      const folded = foldWord(name)
      // Of `segunda-feira`, the Portuguese Monday, the first part is taken, although it is also the ordinal "second".
      if (folded.length > 3 && !names.has(folded)) names.set(folded, day)
    }
  }
  return names
}

/** Returns the day of the week that a word names, 0 for Sunday; undefined for other words. */
export function weekdayOf(word: string): number | undefined {
  days ??= namesOfDays()
  return days.get(foldWord(word))
}

/** Names of months that are other words if they are written in small letters. */
const OTHER_WORDS = new Set(['may', 'march', 'out', 'set', 'ago'])
/** In small letters, a name of at most this many letters is a month only beside a number. */
const SHORT = 5

/** Returns the month, 1 to 12, that a word of a text names; undefined for other words. */
export function monthAt({ words }: TextWords, number: number): number | undefined {
  const word = words[number] ?? ''
  const month = monthOf(word)
  if (month === undefined || OTHER_WORDS.has(word)) return undefined
  if (word.length > SHORT || /^\p{Lu}/u.test(word)) return month
  return [words[number - 1], words[number + 1]].some(other => other !== undefined && /^\d/.test(other))
    ? month
    : undefined
}
