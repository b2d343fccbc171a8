import { writeFileSync } from 'node:fs'

/**
 * Generates `unicode.generated.ts` from the Unicode data of Node. To be run with the pinned Node after a change of the
 * rules below. The generated file is committed, so that all versions of Node produce the same terms.
 *
 * node core/text/characters/generate-unicode.ts
 */

const LAST_CODE_POINT = 0x10ffff

// The letter of each class, also known to char-table.ts.
const SEPARATOR = 'S'
const WORD = 'W'
const SKIPPED = 'J'
const STRIPPED = 'X'
const SURROGATE = 'H'

// Scripts written without spaces. Han and Kana are one group, because Japanese words mix them (食べる). Korean has spaces,
// but its particles and the parts of its compounds are written without.
const bigramScripts: [string, RegExp][] = [
  ['C', /[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}]/u],
  ['T', /\p{Script_Extensions=Thai}/u],
  ['L', /\p{Script_Extensions=Lao}/u],
  ['K', /\p{Script_Extensions=Khmer}/u],
  ['M', /\p{Script_Extensions=Myanmar}/u],
  ['G', /\p{Script_Extensions=Hangul}/u],
]

// Characters that change how a word looks or breaks, but not which word it is: soft hyphen, zero-width (non-)joiner,
// word joiner, byte order mark, variation selectors. U+200B is not among them: it marks word boundaries in Thai and
// Khmer, so it is a separator.
const skipped = /\u00ad|[\u200c-\u200d]|\u2060|\ufeff|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/u
// Diacritics of Latin, Greek and Cyrillic, enclosing marks (keycaps), the points of Hebrew, the vowel signs, hamza signs
// and tatweel of Arabic, and the nukta of Devanagari, which is often left out (ज़रूर, जरूर).
const hebrewPoints = '\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7'
const arabicSigns =
  '\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed'
const strippedMarks = `[\\u0300-\\u036f\\p{Me}\\u093c${hebrewPoints}${arabicSigns}]`
const stripped = new RegExp(strippedMarks, 'u')
const allStripped = new RegExp(strippedMarks, 'gu')
// ʻ and ʼ are letters in Unicode, but are used like apostrophes, which are separators.
const apostropheLetter = /[\u02bb\u02bc]/u
const wordCharacter = /[\p{L}\p{N}\p{M}]/u
// Most code points are one of these, and fold to themselves.
const unassignedOrPrivate = /[\p{Cn}\p{Co}]/u

// Letters that fold to others although Unicode does not decompose them.
const lookAlikes: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ŉ: 'n',
  ς: 'σ',
  // Forms of letters that Arabic, Persian and Urdu use interchangeably.
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ة: 'ه',
  ک: 'ك',
  ہ: 'ه',
  // The two signs of nasal vowels in Devanagari and Gujarati (पाँच, पांच).
  'ँ': 'ं',
  'ઁ': 'ં',
  // Final forms of Hebrew letters.
  ך: 'כ',
  ם: 'מ',
  ן: 'נ',
  ף: 'פ',
  ץ: 'צ',
}

function classOf(codePoint: number): string {
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return codePoint < 0xdc00 ? SURROGATE : SEPARATOR
  const char = String.fromCodePoint(codePoint)
  if (skipped.test(char)) return SKIPPED
  if (stripped.test(char)) return STRIPPED
  if (unassignedOrPrivate.test(char)) return SEPARATOR
  // Presentation forms of Arabic signs, such as U+FE7F, fold to nothing.
  if (foldOnce(char) === '') return STRIPPED
  if (apostropheLetter.test(char) || !wordCharacter.test(char)) return SEPARATOR
  for (const [letter, script] of bigramScripts) if (script.test(char)) return letter
  return WORD
}

function foldOnce(text: string): string {
  const lower = Array.from(text, char => {
    const small = char.toLowerCase()
    return lookAlikes[small] ?? small
  }).join('')
  return lower.normalize('NFKD').replace(allStripped, '').normalize('NFC')
}

function foldOf(char: string, charClass: string): string {
  let folded = charClass === WORD && decimalDigit.test(char) ? String(digitOf(char)) : char
  for (let next = foldOnce(folded); next !== folded; next = foldOnce(folded)) folded = next
  // A character is not folded if the result would not be one word: ½ must not become 12.
  for (const part of folded) if (!isWordClass(classOf(part.codePointAt(0)!))) return char
  // In a script without spaces every position is one code point, so a character of it may only fold to one.
  if (charClass !== WORD && Array.from(folded).length !== 1) return char
  return folded
}

const decimalDigit = /\p{Nd}/u

/** Returns the value of a decimal digit. The ten digits of a script are consecutive, from zero on. */
function digitOf(char: string): number {
  const codePoint = char.codePointAt(0)!
  let zero = codePoint
  while (decimalDigit.test(String.fromCodePoint(zero - 1))) zero--
  return (codePoint - zero) % 10
}

function isWordClass(charClass: string): boolean {
  return charClass === WORD || bigramScripts.some(([letter]) => letter === charClass)
}

/** Returns the source text of `unicode.generated.ts`. */
export function generateUnicodeTable(): string {
  let classes = ''
  let runClass = classOf(0)
  let runLength = 0
  const single: [number, number][] = []
  const multiple: string[] = []
  const compositions: string[] = []
  for (let codePoint = 0; codePoint <= LAST_CODE_POINT; codePoint++) {
    const charClass = classOf(codePoint)
    if (charClass !== runClass) {
      classes += runClass + runLength.toString(36)
      runClass = charClass
      runLength = 0
    }
    runLength++
    if (!isWordClass(charClass)) continue
    const char = String.fromCodePoint(codePoint)
    const parts = Array.from(char.normalize('NFD'))
    // Compositions of Hangul are computed (Unicode 3.12) and are not in the table.
    if (parts.length > 1 && char.normalize('NFC') === char && (codePoint < 0xac00 || codePoint > 0xd7a3)) {
      const last = parts.pop()!
      const first = parts.join('').normalize('NFC')
      if (!stripped.test(last) && Array.from(first).length === 1)
        compositions.push([first.codePointAt(0)!, last.codePointAt(0)!, codePoint].map(n => n.toString(36)).join('+'))
    }
    const folded = foldOf(char, charClass)
    if (folded === char) continue
    const target = Array.from(folded, part => part.codePointAt(0)!)
    if (target.length === 1) single.push([codePoint, target[0]!])
    else multiple.push([codePoint, ...target].map(n => n.toString(36)).join('+'))
  }
  classes += runClass + runLength.toString(36)

  return `// Made by generate-unicode.ts from Unicode ${process.versions.unicode}. Do not edit.
export const unicodeVersion = '${process.versions.unicode}'
/** Runs of characters with one class, from U+0000 on: the class letter, then the length in base 36. */
export const classRuns =
  '${classes}'
/** Runs of folds to one code point, in base 36: distance to the first code point, length, step, target minus source. */
export const foldRuns =
  '${foldRunsOf(single)}'
/** Folds to several code points, in base 36: source, then targets. */
export const foldsToSeveral =
  '${multiple.join(',')}'
/** Pairs of code points with their composition, in base 36: first, second, composed. */
export const compositions =
  '${compositions.join(',')}'
`
}

/** Joins consecutive folds with the same difference into runs, such as `A–Z` with step 1 and `Ѡ ѡ Ѣ ѣ` with step 2. */
function foldRunsOf(folds: readonly [number, number][]): string {
  const runs: string[] = []
  let previous = 0
  for (let at = 0; at < folds.length; ) {
    const [source, target] = folds[at]!
    const delta = target - source
    const next = folds[at + 1]
    const step = next !== undefined && next[1] - next[0] === delta && next[0] - source <= 2 ? next[0] - source : 1
    let length = 1
    for (;;) {
      const follower = folds[at + length]
      if (follower === undefined || follower[0] !== source + length * step || follower[1] - follower[0] !== delta) break
      length++
    }
    runs.push([source - previous, length, step, delta].map(n => n.toString(36)).join('.'))
    previous = source
    at += length
  }
  return runs.join(',')
}

if (import.meta.main) writeFileSync(new URL('unicode.generated.ts', import.meta.url), generateUnicodeTable())
