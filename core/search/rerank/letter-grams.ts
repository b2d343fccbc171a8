import { rankingModel } from '../../segment/ranking-model.ts'
import { SKIPPED, STRIPPED, unitClasses, unitFolds, WORD } from '../../text/characters/char-table.ts'
import type { CandidateText } from './candidate-reader.ts'
import type { WeighedQuery } from './weighed-query.ts'

/** Letters of a gram. */
const LETTERS = 4
/** Stands before and behind a word. */
const EDGE = 95
const SLOTS = 1 << 12

/**
 * Parts of words that a text has in common with the query (after McNamee and Mayfield, Information Retrieval 7, 2004):
 * finds compounds, misspellings, and inflections that the stemmer leaves apart. A gram weighs what the words of the query
 * weigh that hold it. Scripts written without spaces have no grams here: their terms are such grams already.
 */
export class LetterGrams {
  readonly #weights: number[] = []
  /** The letters of each gram, two in a number: the first two, and the last two. */
  readonly #firsts: number[] = []
  readonly #lasts: number[] = []
  /** By the hash of a gram the number of the last such one plus 1, and per gram that of the one before. */
  readonly #heads = new Uint16Array(SLOTS)
  readonly #before: number[] = []
  /** By {@link endingOf} a gram, whether any has such an ending: a look that most letters of a text stop at. */
  readonly #endings = new Uint8Array(1024)
  readonly #counts: Float64Array

  constructor({ words, idf }: WeighedQuery) {
    for (const { term, word } of words) {
      const units = [EDGE, ...Array.from(word, (_, at) => word.charCodeAt(at)).filter(Number.isFinite), EDGE]
      if (units.some(unit => unit !== EDGE && unitClasses[unit] !== WORD)) continue
      for (let at = 0; at + LETTERS <= units.length; at++) {
        this.#add(pairOf(units[at], units[at + 1]), pairOf(units[at + 2], units[at + 3]), idf[term])
      }
    }
    this.#counts = new Float64Array(this.#weights.length)
  }

  /** @param saturation - the frequency at which a gram counts half. */
  evidence({ title, text }: CandidateText, saturation: number): number {
    const counts = this.#counts
    if (counts.length === 0) return 0
    counts.fill(0)
    this.#count(title, rankingModel.titleWeight)
    this.#count(text, 1)
    let sum = 0
    for (let gram = 0; gram < counts.length; gram++)
      if (counts[gram] > 0) sum += (this.#weights[gram] * counts[gram]) / (counts[gram] + saturation)
    return sum
  }

  #count(text: string, weight: number): void {
    const endings = this.#endings
    let first = 0
    let last = EDGE
    // The hot loop: most letters end no gram of the query.
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      const charClass = unitClasses[unit]
      if (charClass === WORD) {
        first = pairOf(first, last >>> 16)
        last = pairOf(last, unitFolds[unit] || unit)
        if (endings[endingOf(last)] === 1) this.#note(first, last, weight)
      } else if (last !== EDGE && charClass !== SKIPPED && charClass !== STRIPPED) {
        this.#note(pairOf(first, last >>> 16), pairOf(last, EDGE), weight)
        first = 0
        last = EDGE
      }
    }
    this.#note(pairOf(first, last >>> 16), pairOf(last, EDGE), weight)
  }

  #note(first: number, last: number, weight: number): void {
    const gram = this.#find(first, last)
    if (gram >= 0) this.#counts[gram] += weight
  }

  #find(first: number, last: number): number {
    let gram = this.#heads[slotOf(first, last)] - 1
    while (gram >= 0 && (this.#firsts[gram] !== first || this.#lasts[gram] !== last)) gram = this.#before[gram]
    return gram
  }

  #add(first: number, last: number, weight: number): void {
    const gram = this.#find(first, last)
    if (gram >= 0) {
      this.#weights[gram] += weight
      return
    }
    const slot = slotOf(first, last)
    this.#before.push(this.#heads[slot] - 1)
    this.#firsts.push(first)
    this.#lasts.push(last)
    this.#weights.push(weight)
    this.#heads[slot] = this.#weights.length
    this.#endings[endingOf(last)] = 1
  }
}

/** Two letters in one number; of `a` the last 16 bits count. */
function pairOf(a: number, b: number): number {
  return (a << 16) | b
}

/** Numbers the last two letters of a gram, others falling on the same number. */
function endingOf(last: number): number {
  return ((last >>> 11) & 0x3e0) | (last & 31)
}

function slotOf(first: number, last: number): number {
  return ((Math.imul(first, 0x9e3779b1) ^ Math.imul(last, 0x85ebca6b)) >>> 20) & (SLOTS - 1)
}
