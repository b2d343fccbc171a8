import { classRuns, compositions, foldRuns, foldsToSeveral } from './unicode.generated.ts'

/** What a character does to a token. Classes from {@link FIRST_BIGRAM} on are scripts written without spaces. */
export const SEPARATOR = 0
export const WORD = 1
/** Inside a word it is passed over: soft hyphen, joiners, variation selectors. */
export const SKIPPED = 2
/** A diacritic of Latin, Greek or Cyrillic: part of the word, without a trace in the term. */
export const STRIPPED = 3
/** First half of a character beyond U+FFFF: ask {@link astralClass}. */
export const SURROGATE = 4
export const FIRST_BIGRAM = 5

const classLetters = 'SWJXHCTLKM'

/** Class of each UTF-16 unit. */
export const unitClasses = new Uint8Array(0x10000)
/** Fold of each UTF-16 unit of a word: a unit, or 0 when it folds to several (then in {@link severalFolds}). */
export const unitFolds = new Uint16Array(0x10000)
/** Folds to more than one code point, by source code point. */
export const severalFolds = new Map<number, readonly number[]>()

const astralFolds = new Map<number, number>()
const astralStarts: number[] = []
const astralClasses: number[] = []
const composed = new Map<number, number>()
const composingSeconds = new Set<number>()
const bases = new Map<number, number>()

/** Code points per plane of pairs; the key of a composition is `first * PAIR_BASE + second`. */
const PAIR_BASE = 0x110000

readClasses()
readFolds()
readCompositions()

/** Class of a code point beyond U+FFFF. */
export function astralClass(codePoint: number): number {
  let low = 0
  let high = astralStarts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (astralStarts[middle]! <= codePoint) low = middle
    else high = middle - 1
  }
  return astralClasses[low]!
}

/** Fold of a code point that folds to one code point; itself when it has no fold. */
export function foldCodePoint(codePoint: number): number {
  return codePoint < 0x10000 ? unitFolds[codePoint]! || codePoint : (astralFolds.get(codePoint) ?? codePoint)
}

/** The one character that Unicode makes of two neighbours (か + ゙ is が), or 0 when they stay apart. */
export function compose(first: number, second: number): number {
  if (second < 0x0300) return 0
  const vowel = second - 0x1161
  if (vowel >= 0 && vowel < 21 && first >= 0x1100 && first < 0x1113)
    return 0xac00 + ((first - 0x1100) * 21 + vowel) * 28
  const tail = second - 0x11a7
  if (tail > 0 && tail < 28 && first >= 0xac00 && first <= 0xd7a3 && (first - 0xac00) % 28 === 0) return first + tail
  return composingSeconds.has(second) ? (composed.get(first * PAIR_BASE + second) ?? 0) : 0
}

/** The first of the two characters that {@link compose} makes this one of, or 0 when there are none. */
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

function readCompositions(): void {
  for (const triple of compositions.split(',')) {
    const [first, second, result] = triple.split('+').map(n => Number.parseInt(n, 36)) as [number, number, number]
    composed.set(first * PAIR_BASE + second, result)
    bases.set(result, first)
    composingSeconds.add(second)
  }
}
