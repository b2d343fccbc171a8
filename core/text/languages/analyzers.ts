import { endingOf, hasFrequentEnding } from './english-endings.ts'
import { englishStem } from './english-stem.ts'
import { mayStem } from './porter2.ts'
import type { LanguageTable } from './table/language-table.ts'
import { languages } from './table/languages.ts'

/** The number of the analyzer that new indexes get. */
export const ANALYZER = 1

/**
 * The text rules in which analyzers differ. What all have in common (characters, symbols, dictionaries) is not in here. A release that changes a part of that moves it here, so that the analyzers before keep theirs.
 */
export interface Analyzer {
  /** False for a last letter with which an English word is surely its own stem. */
  mayStem(lastUnit: number): boolean
  /** Returns the English stem of a word of lower-case ASCII letters. It begins with the same letter. */
  stemEnglish(word: string): string
  /** Returns how a word is written, given its English stem: 0 if it is the stem, at most 14. */
  endingOf(word: string, stem: string): number
  /** Returns false for a word whose ending is so rare that other words of the stem may have the same number. */
  hasFrequentEnding(word: string, stem: string): boolean
  /** The languages: their scripts, stems and function words. */
  languages: LanguageTable
}

/**
 * All analyzers since 0.1, by number. An index names the one that made its terms, and its queries go through the same one. The
 * rules of a released analyzer never change.
 */
export const analyzers = new Map<number, Analyzer>([
  [1, { mayStem, stemEnglish: englishStem, endingOf, hasFrequentEnding, languages }],
])

const newest = analyzerOf(ANALYZER)

/** The analyzer that this thread uses now: that of {@link withAnalyzer}, and elsewhere the newest one. */
export let analyzer: Analyzer = newest

/** Runs `work`, which is synchronous, by the rules of an analyzer. */
export function withAnalyzer<T>(number: number, work: () => T): T {
  analyzer = analyzerOf(number)
  try {
    return work()
  } finally {
    analyzer = newest
  }
}

function analyzerOf(number: number): Analyzer {
  const found = analyzers.get(number)
  if (!found) throw new TypeError(`there is no analyzer ${number}`)
  return found
}
