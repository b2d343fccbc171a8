import { queryTerms } from '../../core/text/terms/query-terms.ts'
import { TokenBuffer, tokenize } from '../../core/text/terms/tokens.ts'
import type { BenchPage } from '../apparatus/page-file.ts'

/** The stop words of Lucene's EnglishAnalyzer. */
const STOP_WORDS = new Set(
  'a an and are as at be but by for if in into is it no not of on or such that the their then there these they this to was will with'.split(
    ' ',
  ),
)

interface Posting {
  number: number
  frequency: number
}

/** BM25 as in Lucene, over asof's terms: title and text are one field, and stop words are removed from texts and queries. */
export class PlainBm25 {
  readonly #postings = new Map<string, Posting[]>()
  readonly #lengths: number[] = []

  constructor(pages: readonly BenchPage[]) {
    const tokens = new TokenBuffer()
    const stopTerms = new Set([...STOP_WORDS].flatMap(word => queryTerms(word).map(({ term }) => term)))
    for (const { number, title, text } of pages) {
      tokens.count = 0
      tokenize(`${title}\n${text}`, tokens)
      const counts = new Map<string, number>()
      let length = 0
      for (let at = 0; at < tokens.count; at++) {
        const term = tokens.term(at)
        if (stopTerms.has(term)) continue
        if (!tokens.isSymbol(at)) length++
        counts.set(term, (counts.get(term) ?? 0) + 1)
      }
      this.#lengths[number] = length
      for (const [term, frequency] of counts) {
        const postings = this.#postings.get(term) ?? []
        postings.push({ number, frequency })
        this.#postings.set(term, postings)
      }
    }
  }

  /** Returns page numbers, best first; ties are in page order. */
  search(text: string, { k1, b }: { k1: number; b: number }, limit: number): number[] {
    const lengths = this.#lengths
    const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length
    const scores = new Map<number, number>()
    for (const { term, word } of queryTerms(text)) {
      if (STOP_WORDS.has(word)) continue
      const postings = this.#postings.get(term) ?? []
      const idf = Math.log(1 + (lengths.length - postings.length + 0.5) / (postings.length + 0.5))
      for (const { number, frequency } of postings) {
        const part = (idf * frequency) / (frequency + k1 * (1 - b + (b * lengths[number]!) / average))
        scores.set(number, (scores.get(number) ?? 0) + part)
      }
    }
    return [...scores]
      .sort((x, y) => y[1] - x[1] || x[0] - y[0])
      .slice(0, limit)
      .map(([number]) => number)
  }
}
