import { onlyEnding } from '../../segment/positions/place.ts'
import { analyzer } from '../../text/languages/analyzers.ts'
import { stemTerm } from '../../text/terms/term-interner.ts'
import { TermScanner } from '../../text/terms/term-scanner.ts'
import type { CandidateText } from './candidate-reader.ts'
import type { WeightedQuery } from './weighted-query.ts'

/** Number of positions from the start of the title to the start of the text: more than any title has. */
const TEXT_OFFSET = 10_000

/** In a query of more words than this, `written` is 0, because the words together show what is meant. */
const MAX_WRITTEN = 3

/** The evidence that the positions and endings of the words give for one candidate. */
export interface PositionEvidence {
  pairs: number
  order: number
  written: number
}

/**
 * Measures term proximity: how close together the words of a query occur. Pairs across title and text do not count.
 *
 * - pairs: for each two different words within a few positions, the smaller idf times the saturated number of such
 *   occurrences (after Rasolofo and Savoy, ECIR 2003).
 * - order: the same for successive words of the query that occur exactly as far apart as in the query (Metzler and Croft,
 *   SIGIR 2005).
 *
 * A third signal distinguishes words that have the same stem, such as `import` and `important`:
 *
 * - written: the sum, over the words that occur as the query writes them, of the score of one occurrence.
 */
export class WordPositions {
  readonly #query: WeightedQuery
  readonly #distance: number
  readonly #scanner: TermScanner
  /** Number of occurrences of each pair, by `first · number of words + second`; all 0 between candidates. */
  readonly #counts: Float64Array
  /** The successive words of the query. */
  readonly #steps: { first: number; second: number; distance: number }[]
  /** For each term the set of endings with which the query writes it; 0 for a term that is not an English stem. Empty for a long query. */
  readonly #endings: number[]
  /**
   * The occurrences of words of the query in the current candidate: their terms, and their positions, which are negative in
   * the title.
   */
  readonly #words: number[] = []
  readonly #at: number[] = []

  constructor(query: WeightedQuery, distance: number) {
    this.#query = query
    this.#distance = distance
    this.#scanner = new TermScanner(query.terms)
    this.#counts = new Float64Array(query.idf.length ** 2)
    this.#steps = query.words.slice(1).flatMap((next, i) => {
      const { term, position } = query.words[i]!
      const apart = next.position - position
      return term !== next.term && apart <= distance ? [{ first: term, second: next.term, distance: apart }] : []
    })
    this.#endings = query.words.length > MAX_WRITTEN ? [] : endingsIn(query)
  }

  /** @param saturation - the frequency at which a pair has half of its maximum score. */
  evidence({ title, text, language }: CandidateText, saturation: number): PositionEvidence {
    if (this.#query.idf.length < 2 && this.#endings.length === 0) return { pairs: 0, order: 0, written: 0 }
    this.#words.length = 0
    this.#at.length = 0
    const written = new Set<number>()
    this.#add(title, language, -TEXT_OFFSET, written)
    this.#add(text, language, 0, written)
    let sum = 0
    for (const term of written) sum += this.#query.idf[term]! / (1 + saturation)
    if (this.#query.idf.length < 2) return { pairs: 0, order: 0, written: sum }
    return { pairs: this.#pairs(saturation), order: this.#order(saturation), written: sum }
  }

  /** @param written - receives the terms that are written as in the query. */
  #add(text: string, language: string | undefined, from: number, written: Set<number>): void {
    for (const { term, position, ending } of this.#scanner.scan(text, language)) {
      this.#words.push(term)
      this.#at.push(from + position)
      if (((this.#endings[term] ?? 0) >>> ending) & 1) written.add(term)
    }
  }

  #pairs(saturation: number): number {
    const words = this.#words
    const at = this.#at
    const { idf } = this.#query
    const count = idf.length
    const counts = this.#counts
    const touched: number[] = []
    const seen = new Int32Array(count).fill(-1)
    for (let i = 0; i < words.length; i++) {
      let j = i
      while (j > 0 && at[i]! - at[j - 1]! <= this.#distance) j--
      for (; j < words.length && at[j]! - at[i]! <= this.#distance; j++) {
        if (words[j]! <= words[i]! || seen[words[j]!] === i) continue
        seen[words[j]!] = i
        const pair = words[i]! * count + words[j]!
        if (counts[pair]!++ === 0) touched.push(pair)
      }
    }
    let sum = 0
    for (const pair of touched) {
      const weight = Math.min(idf[Math.floor(pair / count)]!, idf[pair % count]!)
      sum += (weight * counts[pair]!) / (counts[pair]! + saturation)
      counts[pair] = 0
    }
    return sum / (count - 1)
  }

  #order(saturation: number): number {
    const words = this.#words
    const at = this.#at
    const { idf } = this.#query
    let sum = 0
    for (const { first, second, distance } of this.#steps) {
      let found = 0
      for (let i = 0; i < words.length; i++) {
        if (words[i] !== first) continue
        for (let j = i + 1; j < words.length && at[j]! - at[i]! <= distance; j++)
          if (words[j] === second && at[j]! - at[i]! === distance) found++
      }
      if (found > 0) sum += (Math.min(idf[first]!, idf[second]!) * found) / (found + saturation)
    }
    return sum
  }
}

function endingsIn({ terms, words }: WeightedQuery): number[] {
  const endings = terms.map(() => 0)
  for (const { term, word } of words)
    if (stemTerm(word) === terms[term]) endings[term]! |= onlyEnding(analyzer.endingOf(word, terms[term]))
  return endings
}
