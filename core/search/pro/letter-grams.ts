import { rankingModel } from '../../segment/ranking-model.ts'
import { FIRST_BIGRAM, SKIPPED, STRIPPED, unitClasses, unitFolds, WORD } from '../../text/char-table.ts'
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
  /** Units of each gram, one after another. */
  readonly #units: number[] = []
  /** By the hash of a gram the number of the last such one plus 1, and per gram that of the one before. */
  readonly #heads = new Int32Array(SLOTS)
  readonly #before: number[] = []
  readonly #counts: Float64Array

  constructor({ words, idf }: WeighedQuery) {
    for (const { term, word } of words) {
      const units = [EDGE, ...Array.from(word, (_, at) => word.charCodeAt(at)).filter(Number.isFinite), EDGE]
      if (units.some(unit => unit !== EDGE && unitClasses[unit] !== WORD)) continue
      for (let at = 0; at + LETTERS <= units.length; at++) {
        const gram = this.#find(units[at], units[at + 1], units[at + 2], units[at + 3])
        if (gram >= 0) this.#weights[gram] += idf[term]
        else this.#add(units.slice(at, at + LETTERS), idf[term])
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
    let [a, b, c] = [0, 0, EDGE]
    for (let at = 0; at <= text.length; at++) {
      const unit = at < text.length ? text.charCodeAt(at) : 32
      const charClass = unitClasses[unit]
      if (charClass === SKIPPED || charClass === STRIPPED) continue
      const isLetter = charClass === WORD && charClass < FIRST_BIGRAM
      if (!isLetter && c === EDGE) continue
      const next = isLetter ? unitFolds[unit] || unit : EDGE
      const gram = this.#find(a, b, c, next)
      if (gram >= 0) this.#counts[gram] += weight
      if (isLetter) {
        a = b
        b = c
        c = next
      } else {
        a = 0
        b = 0
        c = EDGE
      }
    }
  }

  #find(a: number, b: number, c: number, d: number): number {
    const units = this.#units
    for (let gram = this.#heads[slotOf(a, b, c, d)] - 1; gram >= 0; gram = this.#before[gram]) {
      const at = gram * LETTERS
      if (units[at] === a && units[at + 1] === b && units[at + 2] === c && units[at + 3] === d) return gram
    }
    return -1
  }

  #add(units: number[], weight: number): void {
    const slot = slotOf(units[0], units[1], units[2], units[3])
    this.#before.push(this.#heads[slot] - 1)
    this.#units.push(...units)
    this.#weights.push(weight)
    this.#heads[slot] = this.#weights.length
  }
}

function slotOf(a: number, b: number, c: number, d: number): number {
  return (a ^ Math.imul(b, 31) ^ Math.imul(c, 1021) ^ Math.imul(d, 7919)) & (SLOTS - 1)
}
