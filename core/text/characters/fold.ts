import {
  astralClass,
  compose,
  FIRST_BIGRAM,
  foldCodePoint,
  SURROGATE,
  severalFolds,
  unitClasses,
  unitFolds,
  WORD,
} from './char-table.ts'
import { spellDevanagari } from './devanagari.ts'

/** The code points of Devanagari, U+0900 to U+097F, shifted right by 7 bits. All of them give this number, and no other ones do. */
const DEVANAGARI = 0x900 >>> 7

/** Matches most words: those of ASCII letters and digits. Folding changes only the case of their letters. */
const ASCII_WORD = /^[A-Za-z0-9]*$/

/**
 * Folds a word: converts it to lower case, replaces compatibility characters and removes diacritics of Latin, Greek and
 * Cyrillic, so that `Ｃａｆé` becomes `cafe`. The nasals of Devanagari are written in one way. Drops characters that are not part of words.
 *
 * @param maxUnits - maximum length of the result, UTF-16 units. Default: no maximum.
 */
export function foldWord(word: string, maxUnits = Number.POSITIVE_INFINITY): string {
  if (ASCII_WORD.test(word)) return word.length > maxUnits ? word.slice(0, maxUnits).toLowerCase() : word.toLowerCase()
  let folded = ''
  // The last code point of the result. It is appended later, because the next code point may compose with it.
  let last = -1
  let room = maxUnits
  let isDevanagari = false
  const push = (codePoint: number): boolean => {
    const joined = last < 0 ? 0 : compose(last, codePoint)
    if (joined !== 0) {
      last = joined
      return true
    }
    const size = codePoint < 0x10000 ? 1 : 2
    if (size > room) return false
    room -= size
    if (last >= 0) folded += String.fromCodePoint(last)
    last = codePoint
    return true
  }
  for (let at = 0; at < word.length; ) {
    const codePoint = word.codePointAt(at)!
    at += codePoint < 0x10000 ? 1 : 2
    if (codePoint >>> 7 === DEVANAGARI) isDevanagari = true
    const charClass = classOfCodePoint(codePoint)
    if (charClass !== WORD && charClass < FIRST_BIGRAM) continue
    const several = codePoint >= 0x10000 || unitFolds[codePoint] === 0 ? severalFolds.get(codePoint) : undefined
    if (several === undefined) {
      if (!push(foldCodePoint(codePoint))) break
    } else if (!several.every(push)) break
  }
  if (last >= 0) folded += String.fromCodePoint(last)
  return isDevanagari ? spellDevanagari(folded) : folded
}

function classOfCodePoint(codePoint: number): number {
  if (codePoint >= 0x10000) return astralClass(codePoint)
  const charClass = unitClasses[codePoint]!
  return charClass === SURROGATE ? 0 : charClass
}
