import type { ParsedSearch } from './parse-search.ts'
import type { AnswerTimings } from './search-answer.ts'

/** Reads the monotonic clock between the steps of an answer, if the answer is to be explained. */
export class StepClock {
  /** Duration of checking and parsing the request, milliseconds. Undefined if the answer is not explained. */
  readonly #parseMs: number | undefined
  readonly #beganMs: number
  #plannedMs = 0
  #countedMs = 0
  #foundMs = 0

  constructor({ explain }: Pick<ParsedSearch, 'explain'>) {
    this.#parseMs = explain?.parseMs
    this.#beganMs = this.#now()
  }

  /** Called when the query has been analyzed and the search is planned. */
  planned(): void {
    this.#plannedMs = this.#now()
  }

  /** Called when the statistics have been computed. Called again if the query is searched for in another form. */
  counted(): void {
    this.#countedMs = this.#now()
  }

  /** Called when the hits to show are known. */
  found(): void {
    this.#foundMs = this.#now()
  }

  /** Called when the results have been made. Returns the time that each step took. */
  timings(): AnswerTimings {
    const parseMs = this.#parseMs ?? 0
    const endedMs = this.#now()
    return {
      parse: parseMs + this.#plannedMs - this.#beganMs,
      statistics: this.#countedMs - this.#plannedMs,
      topK: this.#foundMs - this.#countedMs,
      snippets: endedMs - this.#foundMs,
      total: parseMs + endedMs - this.#beganMs,
    }
  }

  #now(): number {
    return this.#parseMs === undefined ? 0 : performance.now()
  }
}
