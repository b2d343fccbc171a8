import { monthOf } from '@asof/extract/written-dates'
import { foldWord } from '../text/characters/fold.ts'
import { analyzer } from '../text/languages/analyzers.ts'
import { isFunctionWord } from '../text/languages/function-words.ts'
import type { ChangedWords, NearestPassages } from './nearest-passage.ts'
import type { TextWords } from './quote-words.ts'

/** Number of words around a change by which a title is recognized. */
const AROUND = 8
/** Verbs. If one follows the first word of a sentence, that word has no article, and is the name of someone or of a substance. */
const VERBS = new Set('is was has ist war hat est etait es era fue e foi'.split(' '))
/** Maximum number of UTF-16 units behind a word in which the end of its sentence is searched. */
const MAX_BETWEEN = 20
const BETWEEN_SENTENCES = /[.!?:;\n"“«„(]/

function capitalizesNouns(language: string): boolean {
  return analyzer.languages.of(language)?.capitalizesNouns === true
}

/** True if a word begins with a capital letter, or has one behind a small letter: `iPhone`. */
function isCapitalized(word: string): boolean {
  return /^[.]?\p{Lu}|\p{Ll}\p{Lu}/u.test(word)
}

/** Returns a word without the short word that an apostrophe joins to it: `homme` of `l'homme`, `it` of `it'll`. */
export function mainPart(word: string): string {
  const [before = '', behind] = word.split("'")
  return behind !== undefined && before.length < 3 && before.length <= behind.length ? behind : before
}

/**
 * True if both sides of a change are nothing but names, and the names differ. False in a title, where most words have capitals, so that
 * names cannot be recognized. The first word of a sentence counts as a name only if its letters or the words behind it suggest one.
 */
export function differsInName(
  quoted: ChangedWords,
  onPage: ChangedWords,
  passages: NearestPassages,
  language: string,
): boolean {
  if (quoted.words.length === 0 || onPage.words.length === 0) return false
  const names = [quoted, onPage].map(side => side.words.every(word => mayBeName(word, passages, language)))
  if (names.includes(false) || (!capitalizesNouns(language) && isTitle(onPage, language))) return false
  if (areOneName(quoted.words, onPage.words)) return false
  const sure = [quoted, onPage].map(side => side.numbers.some(number => isSurelyName(side.all, number, language)))
  return sure.includes(true)
}

function mayBeName(word: string, passages: NearestPassages, language: string): boolean {
  const folded = foldWord(word)
  return (
    isCapitalized(word) &&
    folded.length > 1 &&
    monthOf(word) === undefined &&
    !isFunctionWord(foldWord(mainPart(word)), language) &&
    // A word that the page also has in small letters is no name.
    !passages.has(word.toLowerCase())
  )
}

function isSurelyName(all: TextWords, number: number, language: string): boolean {
  const word = all.words[number]!
  if (/\p{Ll}\p{Lu}|^\p{Lu}{2}|[+#]$/u.test(word)) return true
  const [before, next] = [all.words[number - 1] ?? '', all.words[number + 1] ?? '']
  const isFirst = isFirstOfSentence(all, number)
  const follows = next !== '' && isCapitalized(next) && !isFirstOfSentence(all, number + 1)
  const isBehind = !isFirst && isCapitalized(before) && !isFirstOfSentence(all, number - 1)
  if (capitalizesNouns(language)) return follows || isBehind || (isFirst && VERBS.has(next))
  return !isFirst || follows || VERBS.has(next)
}

function isFirstOfSentence({ text, starts, ends }: TextWords, number: number): boolean {
  const before = ends[number - 1]
  return (
    before === undefined || BETWEEN_SENTENCES.test(text.slice(before, Math.min(starts[number]!, before + MAX_BETWEEN)))
  )
}

/** True if the words around a change are a title: all but the short ones begin with a capital. */
function isTitle({ all, numbers }: ChangedWords, language: string): boolean {
  const [first = 0] = numbers
  const last = numbers.at(-1) ?? 0
  const around = [...all.words.slice(Math.max(0, first - AROUND), first), ...all.words.slice(last + 1, last + AROUND)]
  const long = around.filter(word => /^\p{L}{4}/u.test(word) && !isFunctionWord(foldWord(mainPart(word)), language))
  return long.length > 1 && long.every(isCapitalized)
}

/** True for forms of one name: inflected, without its diacritics, with one part more, or its initials. */
function areOneName(some: readonly string[], others: readonly string[]): boolean {
  const [ours, theirs] = [some, others].map(words => words.map(word => foldWord(mainPart(word))))
  const isOne = (word: string, other: string) => word.startsWith(other) || other.startsWith(word)
  if (ours!.some(word => theirs!.some(other => isOne(word, other)))) return true
  const initials = (words: readonly string[]) => words.map(word => word.charAt(0)).join('')
  return initials(ours!) === theirs!.join('') || initials(theirs!) === ours!.join('')
}
