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

  /** The query is analyzed, and it is known how its hits will be found. */
  planned(): void {
    this.#plannedMs = this.#now()
  }

  /** The statistics are known. If the query is searched for again in another form, they are counted anew. */
  counted(): void {
    this.#countedMs = this.#now()
  }

  /** The hits to show are known. */
  found(): void {
    this.#foundMs = this.#now()
  }

  /** The time that each step took, when the results are made. */
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
