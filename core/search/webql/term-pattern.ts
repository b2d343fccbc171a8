import { isWithin } from '../../text/terms/edit-distance.ts'
import type { ScannedPattern } from '../../text/terms/term-scanner.ts'
import { FuzzyWalk } from './fuzzy-walk.ts'

/** Terms that a `prefix*` or `fuzzy~` of a query stands for. Plain data, so that it crosses threads. */
export interface TermPattern {
  /** As the query writes it, folded. */
  text: string
  /** Where it stands in the query, a UTF-16 offset. */
  at: number
  /** What its terms begin with, the field's prefix before. */
  begins: string
  /** A term that counts too although it may begin otherwise: the stem of the prefix. */
  also?: string
  /** The terms are no more than so many edits from a word, the field's prefix before it; else all that begin so. */
  fuzzy?: { word: string; edits: number }
  /** Whether only title words count. */
  title: boolean
  /** Whether its terms are words of the text, which score and are highlighted. */
  scores: boolean
}

/** Tells whether a term is one of a pattern's. */
export type TermTest = (term: string) => boolean

export function testOf({ begins, also, fuzzy }: TermPattern): TermTest {
  if (!fuzzy) return term => term.startsWith(begins) || term === also
  const { word, edits } = fuzzy
  return term => term.startsWith(begins) && isWithin(term, word, edits)
}

/** The pattern as a scanner of texts takes it. */
export function scannedPattern(pattern: TermPattern): ScannedPattern {
  const { begins, also } = pattern
  return {
    beginnings: also === undefined || also.startsWith(begins) ? [begins] : [begins, also],
    matches: testOf(pattern),
  }
}

/** Tests terms as a dictionary has them, in UTF-8 and in order. */
export interface BytesTest {
  /** Whether a term that begins as the pattern's do is one of them. */
  isMeant(term: Uint8Array, length: number): boolean
  /** Whether no term with this beginning is one of them; false for what begins otherwise than the pattern's do. */
  isUnwanted(beginning: string): boolean
}

export function testOfBytes({ begins, fuzzy }: TermPattern): BytesTest {
  if (!fuzzy) return { isMeant: () => true, isUnwanted: () => false }
  const walk = new FuzzyWalk(fuzzy.word, fuzzy.edits)
  return {
    isMeant: (term, length) => walk.isWithin(term, length),
    isUnwanted: beginning => beginning.startsWith(begins) && walk.isDead(beginning),
  }
}
