import { Encoder, Index } from 'flexsearch'
import type { Suggestion } from '../engine.ts'

/** What a suggestion was made of. */
export interface Suggested extends Suggestion {
  /** The page that bears it out, and its capture when it did. */
  pageUrl: string
  captureId: number
}

/** Texts with the longest beginning that are held against the other ones, before all lists are intersected. */
const CANDIDATES = 1000

/**
 * Number of UTF-16 units of a text, and of letters of a word, that are indexed. Every prefix of a word takes memory, so a title of
 * one endless word could fill it.
 */
const INDEXED_UNITS = 200
const LONGER_WORDS = /([\p{L}\p{N}]{24})[\p{L}\p{N}]+/gu

/** Texts to be suggested, found by the beginnings of their words, in memory. */
export class TitleIndex {
  readonly #encoder = new Encoder()
  readonly #index = new Index({ tokenize: 'forward', cache: false, encoder: this.#encoder })
  readonly #entries: Suggested[] = []
  /** The words of each entry as the index has them, a space before each. */
  readonly #words: string[] = []
  readonly #known = new Set<string>()

  get size(): number {
    return this.#entries.length
  }

  /** What is added first goes first among equally good ones. A text that is there already is not added again. */
  add(entry: Suggested): void {
    const name = `${entry.kind} ${entry.text.toLowerCase()}`
    if (this.#known.has(name)) return
    this.#known.add(name)
    const indexed = indexedPart(entry.text)
    this.#index.add(this.#entries.length, indexed)
    this.#entries.push(entry)
    this.#words.push(
      this.#encoder
        .encode(indexed)
        .map(word => ` ${word}`)
        .join(''),
    )
  }

  /** The best that hold words which begin as those of the text do. */
  find(text: string, limit: number): Suggested[] {
    return this.#idsFor(indexedPart(text), limit).map(id => this.#entries[id]!)
  }

  #idsFor(text: string, limit: number): number[] {
    const [longest, ...others] = this.#encoder.encode(text).sort((a, b) => b.length - a.length)
    if (longest === undefined || others.length === 0) return this.#search(text, limit)
    // A letter or two begin words of half the texts: to intersect such lists takes longer than a key may.
    const candidates = this.#search(longest, CANDIDATES)
    const beginnings = others.map(word => ` ${word}`)
    const found = candidates.filter(id => beginnings.every(beginning => this.#words[id]!.includes(beginning)))
    if (found.length >= limit || candidates.length < CANDIDATES) return found.slice(0, limit)
    return this.#search(text, limit)
  }

  #search(text: string, limit: number): number[] {
    return this.#index.search(text, { limit }) as number[]
  }
}

function indexedPart(text: string): string {
  return text.slice(0, INDEXED_UNITS).replace(LONGER_WORDS, '$1')
}
