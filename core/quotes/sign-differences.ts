import { foldWord } from '../text/characters/fold.ts'
import { type ChangedWords, sideOf, type WordChange } from './nearest-passage.ts'
import type { PrefixOperator } from './prefix-operators.ts'
import { isUnitAt, type TextWords } from './quote-words.ts'
import { canonicalSign, DASHES } from './signs.ts'

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
/** Signs with the same meaning. */
const SAME: readonly (readonly [says: string, signs: RegExp])[] = [
  ['✓', /^[✓☑✅🗸🗹👍]$/u],
  ['✗', /^[✗☒❌❎✕✖👎]$/u],
  ['×', /^[×*·]$/u],
  ['÷', /^[÷/]$/u],
]
/** Matches signs that calculate or compare. */
const OPERATOR = /^(?:[-+*/×÷·√=<>≤≥≠≈±&|^~]|[-+*/%&|^]=|\*\*|&&|\|\||[=!]==?)$/
/** Matches signs between two words of a text that may be operators, although they were not read as words. */
const MAYBE_OPERATORS = new RegExp(String.raw`[${DASHES}*\/∕∗⋅·∙&\|+]`, 'v')
/** Comparisons that are one word with their number; `=` is a word of its own. */
const AT_NUMBER = /^[<>≤≥≠≈±](?=[.\d])/
const BRACKET = /^[[\]]$/
/** Minimum number of digits of a number that may be written in other groups: a phone number, the number of a book, or a date. */
const MAX_GROUPED = 7
const YEAR = /^(?:1\d|20)\d\d$/

/**
 * True if a quote and a page differ in a sign, or in the signs of a word: `C++` and `C#`, `x^2` and `x2`.
 *
 * @param passage - the numbers of the first word of the passage on the page, and of the one behind its last.
 */
export function differsInSign(
  quoted: ChangedWords,
  onPage: ChangedWords,
  passage: readonly [from: number, to: number],
): boolean {
  if (haveOtherPrefixes(prefixesOf(quoted), prefixesOf(onPage))) return true
  const signsOf = ({ words }: ChangedWords) =>
    words.flatMap(word => (LETTER_OR_DIGIT.test(word) ? (AT_NUMBER.exec(word) ?? []) : [word]))
  const [some, others] = [signsOf(quoted), signsOf(onPage)]
  if (some.length > 0 && others.length > 0) return some.map(saying).join(' ') !== others.map(saying).join(' ')
  if (lacksOperator(quoted, onPage, passage)) return true
  if (lacksOperator(onPage, quoted, [0, quoted.all.words.length])) return true
  // Words that differ only in their signs: C++ and C#, A+ and A, C++17 and C17.
  const [one, other] = [quoted, onPage].map(({ words }) => words.join(''))
  const bare = (word: string) => foldWord(word.replace(/^\.|[+#^-]+/g, ''))
  return one !== other && /\p{L}/u.test(one!) && bare(one!) === bare(other!) && signsIn(one!) !== signsIn(other!)
}

function prefixesOf({ all, numbers }: ChangedWords): PrefixOperator[] {
  return numbers.flatMap(number => all.prefixes.get(number) ?? [])
}

/** True if the operators before the words of two sides differ. */
function haveOtherPrefixes(ours: readonly PrefixOperator[], theirs: readonly PrefixOperator[]): boolean {
  if (ours.length === theirs.length) return ours.some(({ sign }, i) => sign !== theirs[i]!.sign)
  return [...ours, ...theirs].some(({ isSure }) => isSure)
}

function saying(sign: string): string {
  return SAME.find(([, signs]) => signs.test(sign))?.[0] ?? sign
}

function signsIn(word: string): string {
  return word.replace(/[^+#.^-]/g, '')
}

/** True if one side is nothing but an operator between operands, and the other side has none or another one there. */
function lacksOperator(one: ChangedWords, other: ChangedWords, range: readonly [number, number]): boolean {
  const [sign = ''] = one.words
  const [place = 0] = one.numbers
  if (one.words.length !== 1 || other.words.length > 0) return false
  if (BRACKET.test(sign) || sign === '!') return true
  if (!OPERATOR.test(sign)) return false
  const { all } = one
  const [before, after] = [all.words[place - 1] ?? '', all.words[place + 1] ?? '']
  const instead = between(other.all, [before, after], range)
  if (instead !== undefined && saying(canonicalSign(instead)) !== saying(sign)) return true
  if (instead !== undefined || (sign === '-' && isGrouped(all, place))) return false
  const isOperand = (word: string, at: number) =>
    /^\D?[.\d]/.test(word) || /^\p{L}$/u.test(word) || isUnitAt(all.words, at)
  if (sign === '√') return isOperand(after, place + 1)
  return isOperand(before, place - 1) && isOperand(after, place + 1)
}

/** Returns a sign that may be an operator between two words that follow one another; undefined if there is none. */
function between(
  { words, text, starts, ends }: TextWords,
  [before, after]: readonly [string, string],
  [from, to]: readonly [number, number],
): string | undefined {
  for (let place = from + 1; place < to; place++) {
    if (words[place - 1] !== before || words[place] !== after) continue
    return MAYBE_OPERATORS.exec(text.slice(ends[place - 1], Math.min(starts[place]!, ends[place - 1]! + 10)))?.[0]
  }
  return undefined
}

/** True for a dash in a phone number, the number of a book or a date, which may also be written with spaces. */
function isGrouped({ words }: TextWords, place: number): boolean {
  const isPart = (word: string | undefined) => word === '-' || /^\+?\d+$/.test(word ?? '')
  let [from, to] = [place, place]
  while (place - from < 10 && isPart(words[from - 1])) from--
  while (to - place < 10 && isPart(words[to + 1])) to++
  const groups = words.slice(from, to + 1).filter(word => word !== '-')
  return groups.join('').length >= MAX_GROUPED && !groups.every(group => YEAR.test(group))
}

/** Maximum number of words and signs behind a number, up to and including a second number, if the order of the two counts: `3 to 1`. */
const MAX_BETWEEN = 3
const NUMBER = /^\D?[.\d]/

/**
 * Returns the indexes of the changes by which two numbers change places: 3-1 and 1-3, from 10 to 20 and from 20 to 10. In an alignment,
 * these are two changes: one removes the first number, the other adds it behind the second.
 */
export function swappedNumbers(changes: readonly WordChange[], quote: TextWords, text: TextWords): Set<number> {
  const swapped = new Set<number>()
  for (let i = 1; i < changes.length; i++) {
    const [first, second] = [changes[i - 1]!, changes[i]!]
    const [some, others] = [first, second].map(change => [sideOf(quote, change.quote), sideOf(text, change.text)])
    for (const side of [0, 1]) {
      const [taken, added] = [some![side]!, others![1 - side]!]
      if (some![1 - side]!.words.length + others![side]!.words.length > 0) continue
      const numbers = taken.words.filter(word => NUMBER.test(word)).join(' ')
      if (numbers === '' || numbers !== added.words.filter(word => NUMBER.test(word)).join(' ')) continue
      if (isNumberBetween(taken.all.words, taken.numbers.at(-1)! + 1, added.all.words, added.numbers[0]!))
        swapped.add(i - 1).add(i)
    }
  }
  return swapped
}

/** True if the few words from one place on are the same as those before the other place, and one of them is a number. */
function isNumberBetween(words: readonly string[], from: number, others: readonly string[], to: number): boolean {
  for (let length = 1; length <= MAX_BETWEEN; length++) {
    const between = words.slice(from, from + length)
    if (between.join(' ') === others.slice(to - length, to).join(' ')) return between.some(word => NUMBER.test(word))
  }
  return false
}

const WITH_DIGITS = /^(?=.*\p{L})(?=.*\d)[\p{L}\d.^+-]+$/u

/** True if two words have the same letters and other digits: `v1.2` and `v2.1`, `H2O` and `H2O2`. */
export function differsInDigits({ words: ours }: ChangedWords, { words: theirs }: ChangedWords): boolean {
  const [one, other] = [ours[0] ?? '', theirs[0] ?? '']
  if (ours.length !== 1 || theirs.length !== 1 || !/^\p{L}/u.test(one)) return false
  if (!WITH_DIGITS.test(one) || !WITH_DIGITS.test(other)) return false
  const letters = (word: string) => foldWord(word.replace(/[^\p{L}]/gu, ''))
  const digits = (word: string) =>
    word
      .replace(/[^\d.^-]/g, ' ')
      .trim()
      .replace(/ +/g, ' ')
  return letters(one) === letters(other) && digits(one) !== digits(other)
}
