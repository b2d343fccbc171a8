import type { CandidateTexts } from './candidate-texts.ts'
import type { WeighedQuery } from './weighed-query.ts'

/** What the places of the query's words in one candidate tell. */
export interface PositionEvidence {
  lead: number
  pairs: number
  order: number
}

/**
 * How early the words of a query stand, and how close together.
 *
 * - lead: the sum of the words' weights, each times e^(−first position / decay).
 * - pairs: for each two different words within a few positions, the smaller idf times the saturated number of times
 *   (after Rasolofo and Savoy, ECIR 2003).
 * - order: the same for two words that follow one another in the query and stand just as far apart (Metzler and Croft,
 *   SIGIR 2005).
 */
export class WordPositions {
  readonly #texts: CandidateTexts
  readonly #query: WeighedQuery
  readonly #decay: number
  readonly #distance: number
  /** By `first word · words + second`, how often the pair stands; all 0 between candidates. */
  readonly #near: Float64Array
  readonly #steps: { first: number; second: number; distance: number }[]
  /** The occurrences of the query's words in a candidate. */
  readonly #words: number[] = []
  readonly #at: number[] = []

  constructor(texts: CandidateTexts, query: WeighedQuery, options: { decay: number; distance: number }) {
    this.#texts = texts
    this.#query = query
    this.#decay = options.decay
    this.#distance = options.distance
    this.#near = new Float64Array(query.idf.length ** 2)
    this.#steps = query.words.slice(1).flatMap((next, i) => {
      const { term, position } = query.words[i]
      const distance = next.position - position
      return term !== next.term && distance <= options.distance ? [{ first: term, second: next.term, distance }] : []
    })
  }

  /** @param saturation - the frequency at which a pair counts half. */
  evidence(candidate: number, saturation: number): PositionEvidence {
    const lead = this.#findWords(candidate)
    return { lead, pairs: this.#pairs(saturation), order: this.#order(saturation) }
  }

  #findWords(candidate: number): number {
    const { numbers, positions, starts } = this.#texts
    const { weights } = this.#query
    this.#words.length = 0
    this.#at.length = 0
    const seen = new Uint8Array(weights.length)
    let lead = 0
    for (let token = starts[candidate]; token < starts[candidate + 1]; token++) {
      const word = numbers[token]
      if (word >= weights.length) continue
      this.#words.push(word)
      this.#at.push(positions[token])
      if (seen[word] === 1) continue
      seen[word] = 1
      lead += weights[word] * Math.exp(-positions[token] / this.#decay)
    }
    return lead
  }

  #pairs(saturation: number): number {
    const words = this.#words
    const at = this.#at
    const { idf } = this.#query
    const count = idf.length
    if (count < 2) return 0
    const near = this.#near
    const touched: number[] = []
    const seen = new Int32Array(count).fill(-1)
    for (let i = 0; i < words.length; i++) {
      let j = i
      while (j > 0 && at[i] - at[j - 1] <= this.#distance) j--
      for (; j < words.length && at[j] - at[i] <= this.#distance; j++) {
        if (words[j] <= words[i] || seen[words[j]] === i) continue
        seen[words[j]] = i
        const pair = words[i] * count + words[j]
        if (near[pair]++ === 0) touched.push(pair)
      }
    }
    let sum = 0
    for (const pair of touched) {
      const weight = Math.min(idf[Math.floor(pair / count)], idf[pair % count])
      sum += (weight * near[pair]) / (near[pair] + saturation)
      near[pair] = 0
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
        for (let j = i + 1; j < words.length && at[j] - at[i] <= distance; j++)
          if (words[j] === second && at[j] - at[i] === distance) found++
      }
      if (found > 0) sum += (Math.min(idf[first], idf[second]) * found) / (found + saturation)
    }
    return sum
  }
}
