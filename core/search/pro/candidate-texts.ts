import { rankingModel } from '../../segment/ranking-model.ts'
import { termTable } from '../../text/term-table.ts'
import { TokenBuffer, tokenize } from '../../text/tokens.ts'

/** What is read of a candidate. */
export interface CandidateSource {
  title: string
  /** The beginning of its plain text. */
  text: string
}

/** Positions left free between title and text, so that no pair of words runs from one into the other. */
const TITLE_GAP = 10

/** How often each term stands in one candidate, an occurrence in the title counting as the ranking model has it. */
export interface TermVector {
  terms: Int32Array
  frequencies: Float64Array
  /** Weighted number of words read. */
  length: number
}

/** By the id of a term in the term table, its number among the terms of the candidates plus 1. All 0 between searches. */
let numbers = new Int32Array(1 << 14)

/**
 * The terms of some texts, numbered: those of the query first, in its order, then the others as they come. So whatever
 * goes through them by number goes in an order that the texts alone decide.
 */
export class CandidateTexts {
  /** Number of distinct terms. */
  terms = 0
  readonly vectors: TermVector[] = []
  /** Tokens of candidate c: `[starts[c], starts[c + 1])`. */
  readonly starts: Int32Array
  /** Of each token its term's number and its position; a title begins at 0, and the text behind a gap. */
  readonly numbers: Int32Array
  readonly positions: Uint32Array
  readonly #ids: readonly number[]

  /** @param query - terms as the index knows them, each once. */
  constructor(query: readonly string[], sources: readonly CandidateSource[]) {
    // One buffer for all, since ids mean something only until a text begins with an empty one.
    const tokens = new TokenBuffer()
    const starts = new Int32Array(sources.length + 1)
    const titleEnds = new Int32Array(sources.length)
    sources.forEach(({ title, text }, c) => {
      const position = tokenize(title, tokens)
      titleEnds[c] = tokens.count
      tokenize(text, tokens, position + TITLE_GAP)
      starts[c + 1] = tokens.count
    })
    this.starts = starts
    this.positions = tokens.positions
    this.numbers = new Int32Array(tokens.count)
    const used = query.map(term => termTable.idOfTerm(term))
    if (numbers.length < termTable.count) numbers = new Int32Array(2 * termTable.count)
    used.forEach((id, t) => {
      numbers[id] = t + 1
    })
    for (let at = 0; at < tokens.count; at++) {
      const id = tokens.ids[at]
      let number = numbers[id]
      if (number === 0) {
        used.push(id)
        number = used.length
        numbers[id] = number
      }
      this.numbers[at] = number - 1
    }
    for (const id of used) numbers[id] = 0
    this.#ids = used
    this.terms = used.length
    const counts = new Float64Array(used.length)
    for (let c = 0; c < sources.length; c++)
      this.vectors.push(this.#vector(starts[c], titleEnds[c], starts[c + 1], counts))
  }

  /** A term by its number: to be asked before another text is tokenised. */
  term(number: number): string {
    return termTable.term(this.#ids[number])
  }

  /** @param counts - all 0, before and after. */
  #vector(start: number, titleEnd: number, end: number, counts: Float64Array): TermVector {
    const distinct = new Int32Array(end - start)
    let count = 0
    for (let at = start; at < end; at++) {
      const number = this.numbers[at]
      if (counts[number] === 0) distinct[count++] = number
      counts[number] += at < titleEnd ? rankingModel.titleWeight : 1
    }
    const terms = distinct.subarray(0, count)
    const frequencies = new Float64Array(count)
    for (let i = 0; i < count; i++) {
      frequencies[i] = counts[terms[i]]
      counts[terms[i]] = 0
    }
    return { terms, frequencies, length: end - titleEnd + (titleEnd - start) * rankingModel.titleWeight }
  }
}
