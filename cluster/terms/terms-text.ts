import { hash } from 'node:crypto'
import type { IndexedCapture } from '@asof/core/internal'

type Occurrences = NonNullable<IndexedCapture['occurrences']>

/** Separates the terms of one slot, see {@link termsTextOf}. No term contains this character. */
export const AND = '\u0001'
/** Stands for a slot without a term. No term equals it. */
export const NOTHING = '%'

/** An occurrence in the title counts as this number of occurrences. */
const TITLE_WEIGHT = 3

/** The terms of a capture as text for the analyzer of OpenSearch. */
export interface TermsText {
  /** Slots, separated by spaces: one for each position. */
  terms: string
  /** The terms that occur at another position in the text than in the capture. Undefined if no term does. */
  misplaced?: string
}

/**
 * Writes the terms of a capture as a text for the analyzer of the index: one slot for each position, with the terms at that position. The
 * title is repeated {@link TITLE_WEIGHT} times, so that each term occurs as often as core counts it. The number of slots with terms is at most
 * the weighted number of words. Values of fields, which have no position, share the first slot.
 *
 * @param length - weighted number of words.
 */
export function termsTextOf({ terms, numbers }: Occurrences, length: number): TermsText {
  const misplaced = new Set<string>()
  const others: { term: string; frequency: number }[] = []
  const indexed = terms.map(indexedTerm)
  let titleEnd = 0
  let textEnd = 0
  for (let t = 0, at = 0; t < terms.length; at += 2 + numbers[at + 1]!, t++) {
    const frequency = numbers[at]!
    const count = numbers[at + 1]!
    const inTitle = inTitleOf(terms[t]!, frequency, count)
    if (inTitle === undefined) {
      others.push({ term: indexed[t]!, frequency })
      if (isOfText(terms[t]!, count)) misplaced.add(indexed[t]!)
      continue
    }
    if (inTitle > 0) titleEnd = Math.max(titleEnd, numbers[at + 1 + inTitle]! + 1)
    textEnd = Math.max(textEnd, numbers[at + 1 + count]! + 1)
  }
  // An empty slot between the copies of the title keeps phrases from matching across them.
  const copyLength = titleEnd === 0 ? 0 : titleEnd + 1
  const bodyFrom = (TITLE_WEIGHT - 1) * copyLength
  const slots = new Array<string>(Math.max(1, bodyFrom + textEnd)).fill(NOTHING)
  const put = (term: string, at: number): void => {
    const before = slots[at]!
    slots[at] = before === NOTHING ? term : before + AND + term
  }
  for (let t = 0, at = 0; t < terms.length; at += 2 + numbers[at + 1]!, t++) {
    const count = numbers[at + 1]!
    const inTitle = inTitleOf(terms[t]!, numbers[at]!, count)
    if (inTitle === undefined) continue
    const term = indexed[t]!
    for (let i = 0; i < inTitle; i++)
      for (let copy = 0; copy < TITLE_WEIGHT; copy++) put(term, copy * copyLength + numbers[at + 2 + i]!)
    for (let i = inTitle; i < count; i++) put(term, bodyFrom + numbers[at + 2 + i]!)
  }
  let first = -1
  let last = -1
  const behind: number[] = []
  for (let at = 0, taken = 0; at < slots.length; at++) {
    if (slots[at] === NOTHING) continue
    taken++
    if (taken === 1) first = at
    if (taken <= Math.max(1, length)) last = at
    else behind.push(at)
  }
  if (first < 0) first = last = 0
  for (const { term, frequency } of others) for (let i = 0; i < frequency; i++) put(term, first)
  // Identifiers come after the text, and do not count as words.
  for (const at of behind) {
    for (const term of slots[at]!.split(AND)) {
      misplaced.add(term)
      put(term, last)
    }
  }
  slots.length = last + 1
  return { terms: slots.join(' '), misplaced: misplaced.size > 0 ? [...misplaced].join(' ') : undefined }
}

/** True for a word of the text, with positions; false for a value. */
const isOfText = (name: string, positions: number): boolean => positions > 0 && !name.startsWith(':')

/** Returns the number of occurrences of a term in the title. Undefined if the frequency does not determine it, or the term is no word of the text. */
function inTitleOf(name: string, frequency: number, positions: number): number | undefined {
  const inTitle = (frequency - positions) / (TITLE_WEIGHT - 1)
  const isKnown = Number.isInteger(inTitle) && inTitle >= 0 && inTitle <= positions
  return isKnown && isOfText(name, positions) ? inTitle : undefined
}

/** Writes a phrase as a text for the analyzer of the index. */
export function phraseText(phrase: readonly { term: string; offset: number }[]): string {
  const first = Math.min(...phrase.map(({ offset }) => offset))
  const slots: string[] = []
  for (const { term, offset } of phrase) {
    const at = offset - first
    slots[at] = slots[at] === undefined ? indexedTerm(term) : `${slots[at]}${AND}${indexedTerm(term)}`
  }
  return Array.from(slots, slot => slot ?? NOTHING).join(' ')
}

/** Length of the longest term that is indexed unchanged, UTF-16 units. Lucene accepts up to 32,766 bytes. */
const LONGEST = 8_000

/** Returns a term of core as a term of the index: without white space, which separates slots, and not too long for Lucene. */
export function indexedTerm(term: string): string {
  const text = /[\s%\u0001\u001c-\u001f]/.test(term)
    ? term.replace(/[\s%\u0001\u001c-\u001f]/g, encodeURIComponent)
    : term
  return text.length > LONGEST ? `${text.slice(0, 100)}%${hash('sha256', text, 'hex')}` : text
}
