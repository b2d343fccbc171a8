import { Index } from 'flexsearch'
import type { Suggestion } from '../engine.ts'

/** What a suggestion was made of. */
export interface Suggested extends Suggestion {
  /** The page that bears it out, and its capture when it did. */
  pageUrl: string
  captureId: number
}

/** Texts to be suggested, found by the beginnings of their words, in memory. */
export class TitleIndex {
  readonly #index = new Index({ tokenize: 'forward', cache: false })
  readonly #entries: Suggested[] = []
  readonly #known = new Set<string>()

  get size(): number {
    return this.#entries.length
  }

  /** What is added first goes first among equally good ones. A text that is there already is not added again. */
  add(entry: Suggested): void {
    const name = `${entry.kind} ${entry.text.toLowerCase()}`
    if (this.#known.has(name)) return
    this.#known.add(name)
    this.#index.add(this.#entries.length, entry.text)
    this.#entries.push(entry)
  }

  /** The best that hold words which begin as those of the text do. */
  find(text: string, limit: number): Suggested[] {
    return (this.#index.search(text, { limit }) as number[]).map(id => this.#entries[id])
  }
}
