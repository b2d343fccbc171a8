import { foldWord } from '../text/characters/fold.ts'
import { isFunctionWord } from '../text/languages/function-words.ts'
import { detectLanguage } from '../text/languages/language-detection.ts'
import { monthAt, weekdayOf } from './days-and-months.ts'
import { differsInName, mainPart } from './names.ts'
import {
  type ChangedWords,
  type NearestPassages,
  type NearPassage,
  sideOf,
  type WordChange,
} from './nearest-passage.ts'
import { deniesByPrefix, isNegation } from './negations.ts'
import { differsInNumber, numbersAmong } from './quantities.ts'
import type { QuoteContradiction } from './quote-verdict.ts'
import type { QuoteWords, TextWords } from './quote-words.ts'
import { differsInDigits, differsInSign, swappedNumbers } from './sign-differences.ts'

/** UTF-16 units around a passage by which its language is recognized. */
const AROUND = 1_000
/** Contradictions count only if the passage has at least this many content words of the quote for each one that it lacks. */
const FOUND_FOR_ONE = 3
/** Maximum number of content words on each side of a change, besides the number, unit, day or negation that contradicts. */
const MAX_OTHERS = 1
/** Kinds of contradictions that all words of a change are part of. So none of the words counts as one that the passage lacks. */
const WHOLE: ReadonlySet<QuoteContradiction | undefined> = new Set(['name', 'negation', 'sign'] as const)
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/**
 * Finds the changes between a quote and the nearest passage in which the page contradicts the quote: by another number, unit, name, date,
 * sign or negation. If the rest of the quote does not match
 * the passage, no change is a contradiction, because the passage is about something else.
 *
 * @returns for each change the kind of the contradiction; undefined if there is none.
 */
export function contradictionsIn(
  { changes, from, to }: NearPassage,
  quote: QuoteWords,
  text: TextWords,
  passages: NearestPassages,
): (QuoteContradiction | undefined)[] {
  const middle = text.text.slice(Math.max(0, text.starts[from]! - AROUND), text.ends[Math.max(from, to - 1)]! + AROUND)
  const language = detectLanguage('', middle)
  const isContent = (word: string) =>
    LETTER_OR_DIGIT.test(word) && (/\d/.test(word) || !isFunctionWord(foldWord(mainPart(word)), language))
  const { all } = quote
  const swapped = swappedNumbers(changes, all, text)
  const found = changes.map((change, i) =>
    swapped.has(i) ? 'number' : contradiction(change, all, text, [from, to], passages, language, isContent),
  )
  if (found.every(kind => kind === undefined)) return found
  const changed = new Set(changes.flatMap(change => change.quote))
  const same = all.words.filter((_, i) => !changed.has(i))
  const matching = same.filter(isContent).length
  const others = changes
    .filter((_, i) => !WHOLE.has(found[i]))
    .flatMap(({ quote }) => plainWords(sideOf(all, quote), language))
    .filter(word => !/\d/.test(word))
    .filter(isContent).length
  const matches = matching > 0 ? matching >= FOUND_FOR_ONE * others : others === 0 && same.length >= FOUND_FOR_ONE
  return matches ? found : found.map(() => undefined)
}

function contradiction(
  change: WordChange,
  all: TextWords,
  text: TextWords,
  passage: readonly [from: number, to: number],
  passages: NearestPassages,
  language: string,
  isContent: (word: string) => boolean,
): QuoteContradiction | undefined {
  const quoted = sideOf(all, change.quote)
  const onPage = sideOf(text, change.text)
  const [ours, theirs] = [quoted, onPage].map(side => plainWords(side, language).filter(isContent))
  const isNarrow = ours!.length <= MAX_OTHERS && theirs!.length <= MAX_OTHERS
  if (isNarrow) {
    const kind = differsInNumber(quoted, onPage) ?? differsInDay(quoted, onPage)
    if (kind) return kind
    if (differsInDigits(quoted, onPage)) return 'number'
  }
  if (differsInSign(quoted, onPage, passage)) return 'sign'
  if (differsInNegation(quoted, onPage, ours!, theirs!, language)) return 'negation'
  return differsInName(quoted, onPage, passages, language) ? 'name' : undefined
}

/** Returns the words that are no numbers, units, days, signs or negations. */
function plainWords(side: ChangedWords, language: string): string[] {
  const special = numbersAmong(side)
  return side.words.filter(
    (word, i) =>
      LETTER_OR_DIGIT.test(word) &&
      !special.has(i) &&
      !isNegation(word, language) &&
      monthAt(side.all, side.numbers[i]!) === undefined &&
      weekdayOf(word) === undefined,
  )
}

const weekdayAt = ({ words }: TextWords, number: number) => weekdayOf(words[number]!)

/** Returns `date` if both sides name months, or days of the week, and have none in common. */
function differsInDay(quoted: ChangedWords, onPage: ChangedWords): QuoteContradiction | undefined {
  for (const read of [monthAt, weekdayAt]) {
    const [ours, theirs] = [quoted, onPage].map(({ all, numbers }) =>
      numbers.map(number => read(all, number)).filter(value => value !== undefined),
    )
    const values = new Set(theirs)
    if (ours!.length > 0 && theirs!.length > 0 && !ours!.some(value => values.has(value))) return 'date'
  }
  return undefined
}

function differsInNegation(
  quoted: ChangedWords,
  onPage: ChangedWords,
  ours: readonly string[],
  theirs: readonly string[],
  language: string,
): boolean {
  const denies = ({ all, numbers, words }: ChangedWords) =>
    words.some((word, i) => isNegation(word, language, all.words[numbers[i]! + 1]))
  const [we, they] = [denies(quoted), denies(onPage)]
  if (we !== they) return (we ? ours : theirs).length === 0 && (we ? theirs : ours).length <= MAX_OTHERS
  const [one, other] = [ours[0], theirs[0]]
  return ours.length === 1 && theirs.length === 1 && deniesByPrefix(foldWord(one!), foldWord(other!))
}
