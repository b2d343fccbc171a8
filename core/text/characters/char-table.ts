import { upperBound } from '../../bytes/binary-search.ts'
import { chineseVariants } from './chinese-variants.generated.ts'
import { classRuns, compositions, foldRuns, foldsToSeveral } from './unicode.generated.ts'

// Character classes: what a character does to the tokens of a text.

/** Ends a word and is part of none. */
export const SEPARATOR = 0
/** Part of a word, in a script that uses spaces. */
export const WORD = 1
/** Ignored inside a word: soft hyphen, joiners, variation selectors. */
export const SKIPPED = 2
/** A diacritic that is part of the word but not of its term, in Latin, Greek, Cyrillic and others. */
export const STRIPPED = 3
/** First half of a surrogate pair. {@link astralClass} returns the class of the pair. */
export const SURROGATE = 4
/** The first class of the scripts without spaces. Each such script, or group of scripts, has a class from here on. */
export const FIRST_BIGRAM = 5

/** The class of Hangul. */
export const HANGUL: number = FIRST_BIGRAM + 5

/** The letters of the classes in `unicode.generated.ts`, in the order of the numbers of the classes. */
const classLetters = 'SWJXHCTLKMG'

/** The class of each UTF-16 unit. */
export const unitClasses = new Uint8Array(0x10000)
/** The fold of each UTF-16 unit. 0 if the unit folds to several units; then its fold is in {@link severalFolds}. */
export const unitFolds = new Uint16Array(0x10000)
/** Folds that have several UTF-16 units, as code points. The key is the code point that folds to them. */
export const severalFolds = new Map<number, readonly number[]>()

/** Folds of code points above U+FFFF that fold to one code point. */
const astralFolds = new Map<number, number>()
/**
 * Ranges of code points above U+FFFF that have the same class: the first code point of each range, ascending, and its
 * class.
 */
const astralStarts: number[] = []
const astralClasses: number[] = []
/** The composition of two code points. The key is `first * PAIR_BASE + second`. */
const composed = new Map<number, number>()
/** Code points that can be the second part of a composition. */
const composingSeconds = new Set<number>()
/** The first part of each composition, by composed code point. */
const bases = new Map<number, number>()

const PAIR_BASE = 0x110000

readClasses()
readFolds()
readChineseVariants()
readCompositions()

/** Returns the class of a code point above U+FFFF. */
export function astralClass(codePoint: number): number {
  return astralClasses[upperBound(astralStarts, astralStarts.length, codePoint) - 1]!
}

/** Returns the fold of a code point that does not fold to several; the code point itself if it has no fold. */
export function foldCodePoint(codePoint: number): number {
  return codePoint < 0x10000 ? unitFolds[codePoint]! || codePoint : (astralFolds.get(codePoint) ?? codePoint)
}

/** Returns the Unicode composition of two code points, such as か and ゙ to が; 0 if there is none. */
export function compose(first: number, second: number): number {
  if (second < 0x0300) return 0
  const vowel = second - 0x1161
  if (vowel >= 0 && vowel < 21 && first >= 0x1100 && first < 0x1113)
    return 0xac00 + ((first - 0x1100) * 21 + vowel) * 28
  const tail = second - 0x11a7
  if (tail > 0 && tail < 28 && first >= 0xac00 && first <= 0xd7a3 && (first - 0xac00) % 28 === 0) return first + tail
  return composingSeconds.has(second) ? (composed.get(first * PAIR_BASE + second) ?? 0) : 0
}

/** Returns the first of the two code points that {@link compose} joins to this one; 0 if there are none. */
export function baseOf(codePoint: number): number {
  if (codePoint < 0xac00 || codePoint > 0xd7a3) return bases.get(codePoint) ?? 0
  const syllable = codePoint - 0xac00
  return syllable % 28 === 0 ? 0x1100 + Math.floor(syllable / 588) : codePoint - (syllable % 28)
}

function readClasses(): void {
  let codePoint = 0
  for (const [, letter, length] of classRuns.matchAll(/([A-Z])([0-9a-z]+)/g)) {
    const charClass = classLetters.indexOf(letter!)
    const end = codePoint + Number.parseInt(length!, 36)
    if (codePoint < 0x10000) unitClasses.fill(charClass, codePoint, Math.min(end, 0x10000))
    if (end > 0x10000) {
      astralStarts.push(Math.max(codePoint, 0x10000))
      astralClasses.push(charClass)
    }
    codePoint = end
  }
}

function readFolds(): void {
  for (let unit = 0; unit < 0x10000; unit++) unitFolds[unit] = unit
  let first = 0
  for (const run of foldRuns.split(',')) {
    const [gap, length, step, delta] = run.split('.').map(n => Number.parseInt(n, 36)) as [
      number,
      number,
      number,
      number,
    ]
    first += gap
    for (let source = first; source < first + length * step; source += step) {
      const target = source + delta
      if (source < 0x10000 && target < 0x10000) unitFolds[source] = target
      else if (source >= 0x10000) astralFolds.set(source, target)
      else severalFolds.set(source, [target])
    }
  }
  for (const list of foldsToSeveral.split(',')) {
    const [source, ...targets] = list.split('+').map(n => Number.parseInt(n, 36)) as [number, ...number[]]
    severalFolds.set(source, targets)
  }
  for (const source of severalFolds.keys()) if (source < 0x10000) unitFolds[source] = 0
}

function readChineseVariants(): void {
  const characters = Array.from(chineseVariants, char => char.codePointAt(0)!)
  for (let at = 0; at < characters.length; at += 2) {
    const source = characters[at]!
    const target = characters[at + 1]!
    if (source < 0x10000) unitFolds[source] = target
    else astralFolds.set(source, target)
  }
}

function readCompositions(): void {
  for (const triple of compositions.split(',')) {
    const [first, second, result] = triple.split('+').map(n => Number.parseInt(n, 36)) as [number, number, number]
    composed.set(first * PAIR_BASE + second, result)
    bases.set(result, first)
    composingSeconds.add(second)
  }
}
