import { dictionaries } from './dictionaries.generated.ts'
import { WordList } from './word-list.ts'

/** Ranges of characters, from the first to the last. */
type Ranges = readonly (readonly [from: number, to: number])[]

/** A script that is written without spaces, and the words of its language. */
export interface DictionaryScript {
  /** True for the characters of which words consist. The other ones, such as digits, end a word. */
  isLetter(unit: number): boolean
  /** True for letters at which an unknown word can begin. */
  mayBegin(unit: number): boolean
  /** True for letters at which an unknown word can end. */
  mayEnd(unit: number): boolean
  /** True for marks, which belong to the letter before them. */
  isMark(unit: number): boolean
  /** Minimum number of letters of a run that is divided. A shorter run is one word. */
  leastLetters: number
  /** Loaded when it is first needed. */
  words(): WordList
}

/** The Thai signs that mark the word before them as shortened and as repeated. They belong to that word. */
export const PAIYANNOI = 0x0e2f
export const MAIYAMOK = 0x0e46

/**
 * The sets of characters are those of ICU (`dictbe.cpp`), written out, so that no release of Unicode changes them: letters
 * are the characters of the script with the line break class SA.
 */
const scripts: readonly DictionaryScript[] = [
  script('thai', {
    letters: [
      [0xe01, 0xe3a],
      [0xe40, 0xe4d],
    ],
    marks: [
      [0xe31, 0xe31],
      [0xe34, 0xe3a],
      [0xe47, 0xe4d],
    ],
    begin: [
      [0xe01, 0xe2e],
      [0xe40, 0xe44],
    ],
    neverEnd: [
      [0xe31, 0xe31],
      [0xe40, 0xe44],
    ],
    leastLetters: 5,
  }),
  script('lao', {
    letters: [
      [0xe81, 0xebd],
      [0xec0, 0xec6],
      [0xec8, 0xece],
      [0xedc, 0xedf],
    ],
    marks: [
      [0xeb1, 0xeb1],
      [0xeb4, 0xebc],
      [0xec8, 0xece],
    ],
    begin: [
      [0xe81, 0xeae],
      [0xec0, 0xec4],
      [0xedc, 0xedd],
    ],
    neverEnd: [[0xec0, 0xec4]],
  }),
  script('khmer', {
    letters: [
      [0x1780, 0x17d3],
      [0x17d7, 0x17d7],
      [0x17dc, 0x17dd],
    ],
    marks: [
      [0x17b4, 0x17d3],
      [0x17dd, 0x17dd],
    ],
    begin: [[0x1780, 0x17b3]],
    neverEnd: [[0x17d2, 0x17d2]],
  }),
  script('burmese', {
    letters: [
      [0x1000, 0x103f],
      [0x1050, 0x108f],
      [0x109a, 0x109f],
      [0xa9e0, 0xa9ef],
      [0xa9fa, 0xa9fe],
      [0xaa60, 0xaa76],
      [0xaa7a, 0xaa7f],
    ],
    marks: [
      [0x102b, 0x103e],
      [0x1056, 0x1059],
      [0x105e, 0x1060],
      [0x1062, 0x1064],
      [0x1067, 0x106d],
      [0x1071, 0x1074],
      [0x1082, 0x108d],
      [0x108f, 0x108f],
      [0x109a, 0x109d],
      [0xa9e5, 0xa9e5],
      [0xaa7b, 0xaa7d],
    ],
    begin: [[0x1000, 0x102a]],
    neverEnd: [],
  }),
]

/** Returns the script of a letter; undefined if it is in none of these scripts. */
export function scriptOf(unit: number): DictionaryScript | undefined {
  return scripts.find(script => script.isLetter(unit))
}

interface Letters {
  letters: Ranges
  marks: Ranges
  begin: Ranges
  neverEnd: Ranges
  leastLetters?: number
}

function script(
  name: keyof typeof dictionaries,
  { letters, marks, begin, neverEnd, leastLetters = 4 }: Letters,
): DictionaryScript {
  let words: WordList | undefined
  return {
    isLetter: unit => isIn(letters, unit),
    mayBegin: unit => isIn(begin, unit),
    mayEnd: unit => isIn(letters, unit) && !isIn(neverEnd, unit),
    isMark: unit => isIn(marks, unit),
    leastLetters,
    words: () => (words ??= new WordList(dictionaries[name])),
  }
}

function isIn(ranges: Ranges, unit: number): boolean {
  return ranges.some(([from, to]) => from <= unit && unit <= to)
}
