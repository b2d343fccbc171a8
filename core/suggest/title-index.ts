import { Encoder, Index } from 'flexsearch'
import type { Suggestion } from '../engine.ts'

/** A suggestion, with the page that it was made from. */
export interface Suggested extends Suggestion {
  /** The page that has the title or is on the site. */
  pageUrl: string
  /** The capture that had it. */
  captureId: number
}

/**
 * Maximum number of texts matching the longest prefix that are tested for the other prefixes, before FlexSearch intersects
 * all lists.
 */
const CANDIDATES = 1000

/**
 * Number of UTF-16 units of a text, and of letters of a word, that are indexed. Every prefix of a word takes memory, so a
 * title of one endless word could fill it.
 */
const INDEXED_UNITS = 200
const LONGER_WORDS = /([\p{L}\p{N}]{24})[\p{L}\p{N}]+/gu

/** An in-memory index of texts to suggest, by prefixes of their words. */
export class TitleIndex {
  readonly #encoder = new Encoder()
  readonly #index = new Index({ tokenize: 'forward', cache: false, encoder: this.#encoder })
  readonly #entries: Suggested[] = []
  /** The indexed words of each entry, each preceded by a space. */
  readonly #words: string[] = []
  readonly #known = new Set<string>()

  get size(): number {
    return this.#entries.length
  }

  /** Adds a text unless it is already present. Among equally good texts the one that was added first is suggested first. */
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

  /** Finds the best texts that contain, for each word of `text`, a word with this prefix. */
  find(text: string, limit: number): Suggested[] {
    return this.#idsFor(indexedPart(text), limit).map(id => this.#entries[id]!)
  }

  #idsFor(text: string, limit: number): number[] {
    const [longest, ...others] = this.#encoder.encode(text).sort((a, b) => b.length - a.length)
    if (longest === undefined || others.length === 0) return this.#search(text, limit)
    // One or two letters are a prefix of a word in half the texts. Intersecting such long lists is too slow for typing.
    const candidates = this.#search(longest, CANDIDATES)
    const prefixes = others.map(word => ` ${word}`)
    const found = candidates.filter(id => prefixes.every(prefix => this.#words[id]!.includes(prefix)))
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
