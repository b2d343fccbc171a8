import { endingOf, hasFrequentEnding } from './english-endings.ts'
import { englishStem } from './english-stem.ts'
import { mayStem } from './porter2.ts'
import type { LanguageTable } from './table/language-table.ts'
import { languages } from './table/languages.ts'

/** The number of the analyzer that new indexes get. */
export const ANALYZER = 1

/**
 * The rules for texts in which analyzers differ. Rules that all analyzers share (characters, symbols, dictionaries) are not members. A
 * release that changes a shared rule must make it a member, so that earlier analyzers keep the old rule.
 */
export interface Analyzer {
  /** False if every English word that ends with this letter is its own stem. */
  mayStem(lastUnit: number): boolean
  /** Returns the English stem of a word of lower-case ASCII letters. It begins with the same letter. */
  stemEnglish(word: string): string
  /** Returns the number of a word's ending, given its English stem: 0 if the word is its stem, otherwise 1 to 14. */
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
