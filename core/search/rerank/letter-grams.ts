import { rankingModel } from '../../segment/ranking-model.ts'
import { SKIPPED, STRIPPED, unitClasses, unitFolds, WORD } from '../../text/characters/char-table.ts'
import type { CandidateText } from './candidate-reader.ts'
import type { WeightedQuery } from './weighted-query.ts'

/** Number of letters in a gram. */
const LETTERS = 4
/** The character that marks the beginning and the end of a word: an underscore. */
const EDGE = 95
/** Size of the hash table of grams. */
const SLOTS = 1 << 12

/**
 * Counts the character 4-grams of the words of a query that occur in a text (after McNamee and Mayfield, Information
 * Retrieval 7, 2004). This matches compounds, misspellings, and inflections that the stemmer does not conflate. The weight
 * of a gram is the sum of the weights of the query words that contain it. Scripts without spaces are skipped, because their
 * terms are already n-grams.
 */
export class LetterGrams {
  readonly #weights: number[] = []
  /** The letters of each gram, two in a number: the first two, and the last two. */
  readonly #firsts: number[] = []
  readonly #lasts: number[] = []
  /**
   * A chained hash table: by slot the number of the newest gram plus 1, and for each gram the number of the next older one,
   * or −1.
   */
  readonly #heads = new Uint16Array(SLOTS)
  readonly #older: number[] = []
  /** By {@link endingOf}: 1 if a gram has this ending. Rules out most letters of a text quickly. */
  readonly #endings = new Uint8Array(1024)
  readonly #counts: Float64Array

  constructor({ words, idf }: WeightedQuery) {
    for (const { term, word } of words) {
      const units = [EDGE, ...Array.from(word, (_, at) => word.charCodeAt(at)).filter(Number.isFinite), EDGE]
      if (units.some(unit => unit !== EDGE && unitClasses[unit] !== WORD)) continue
      for (let at = 0; at + LETTERS <= units.length; at++) {
        this.#add(pairOf(units[at]!, units[at + 1]!), pairOf(units[at + 2]!, units[at + 3]!), idf[term]!)
      }
    }
    this.#counts = new Float64Array(this.#weights.length)
  }

  /** @param saturation - the frequency at which a gram has half of its maximum score. */
  evidence({ title, text }: CandidateText, saturation: number): number {
    const counts = this.#counts
    if (counts.length === 0) return 0
    counts.fill(0)
    this.#count(title, rankingModel.titleWeight)
    this.#count(text, 1)
    let sum = 0
    for (let gram = 0; gram < counts.length; gram++)
      if (counts[gram]! > 0) sum += (this.#weights[gram]! * counts[gram]!) / (counts[gram]! + saturation)
    return sum
  }

  #count(text: string, weight: number): void {
    const endings = this.#endings
    let first = 0
    let last = EDGE
    // The hot loop: most letters do not end a gram of the query.
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      const charClass = unitClasses[unit]
      if (charClass === WORD) {
        first = pairOf(first, last >>> 16)
        last = pairOf(last, unitFolds[unit] || unit)
        if (endings[endingOf(last)] === 1) this.#countGram(first, last, weight)
      } else if (last !== EDGE && charClass !== SKIPPED && charClass !== STRIPPED) {
        this.#countGram(pairOf(first, last >>> 16), pairOf(last, EDGE), weight)
        first = 0
        last = EDGE
      }
    }
    this.#countGram(pairOf(first, last >>> 16), pairOf(last, EDGE), weight)
  }

  #countGram(first: number, last: number, weight: number): void {
    const gram = this.#find(first, last)
    if (gram >= 0) this.#counts[gram]! += weight
  }

  #find(first: number, last: number): number {
    let gram = this.#heads[slotOf(first, last)]! - 1
    while (gram >= 0 && (this.#firsts[gram] !== first || this.#lasts[gram] !== last)) gram = this.#older[gram]!
    return gram
  }

  #add(first: number, last: number, weight: number): void {
    const gram = this.#find(first, last)
    if (gram >= 0) {
      this.#weights[gram]! += weight
      return
    }
    const slot = slotOf(first, last)
    this.#older.push(this.#heads[slot]! - 1)
    this.#firsts.push(first)
    this.#lasts.push(last)
    this.#weights.push(weight)
    this.#heads[slot] = this.#weights.length
    this.#endings[endingOf(last)] = 1
  }
}

/** Packs two letters into one number; only the low 16 bits of `a` are used. */
function pairOf(a: number, b: number): number {
  return (a << 16) | b
}

/** A 10-bit hash of the last two letters of a gram. */
function endingOf(last: number): number {
  return ((last >>> 11) & 0x3e0) | (last & 31)
}

function slotOf(first: number, last: number): number {
  return ((Math.imul(first, 0x9e3779b1) ^ Math.imul(last, 0x85ebca6b)) >>> 20) & (SLOTS - 1)
}
