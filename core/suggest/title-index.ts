import type { Suggestion } from '../engine.ts'
import { foldWord } from '../text/characters/fold.ts'

/** A suggestion, with the page from which it comes. */
export interface Suggested extends Suggestion {
  /** The page that has the title or is on the site. */
  pageUrl: string
  /** The capture of that page. */
  captureId: number
}

/** Number of UTF-16 units of a text that are indexed. The rest is ignored. */
const INDEXED_UNITS = 200

/** Maximum length, in UTF-16 units, of the prefixes under which entries are listed. */
const START_UNITS = 4

/** An in-memory index of titles and sites, by prefixes of their words. */
export class TitleIndex {
  readonly #entries: Suggested[] = []
  /**
   * For each entry, its folded words and then the numbers that follow letters in them, with a space before and after
   * each.
   */
  readonly #words: string[] = []
  /** For each prefix of up to {@link START_UNITS} units, the entries with a word that begins with it, ascending. */
  readonly #byStart = new Map<string, number[]>()
  readonly #known = new Set<string>()

  get size(): number {
    return this.#entries.length
  }

  /**
   * Adds a text, unless the index has it already. Of equally good suggestions, the one that was added first comes
   * first.
   */
  add(entry: Suggested): void {
    const name = `${entry.kind} ${entry.text.toLowerCase()}`
    if (this.#known.has(name)) return
    this.#known.add(name)
    const written = wordsOf(entry.text)
    const words = [...written, ...numbersIn(written)]
    const starts = new Set(words.flatMap(startsOf))
    for (const start of starts) {
      const entries = this.#byStart.get(start)
      if (entries) entries.push(this.#entries.length)
      else this.#byStart.set(start, [this.#entries.length])
    }
    this.#entries.push(entry)
    this.#words.push(` ${words.join(' ')} `)
  }

  /**
   * Finds texts in which each word of `text` is a prefix of some word. Texts that begin with the words of `text` come
   * first, then those that contain them as whole words, then the others in the order of addition.
   */
  find(text: string, limit: number): Suggested[] {
    const prefixes = wordsOf(text)
    const beginning = ` ${prefixes.join(' ')}`
    const ranked: number[][] = [[], [], [], []]
    for (const id of this.#candidates(prefixes)) {
      const words = this.#words[id]!
      if (!prefixes.every(prefix => words.includes(` ${prefix}`))) continue
      const isWhole = prefixes.every(prefix => words.includes(` ${prefix} `))
      const rank = ranked[(words.startsWith(beginning) ? 0 : 2) + (isWhole ? 0 : 1)]!
      if (rank.length < limit) rank.push(id)
    }
    return ranked
      .flat()
      .slice(0, limit)
      .map(id => this.#entries[id]!)
  }

  /** Returns the entries of the rarest prefix. */
  #candidates(prefixes: readonly string[]): readonly number[] {
    const lists = prefixes.map(prefix => this.#byStart.get(prefix.slice(0, START_UNITS)) ?? [])
    return lists.reduce((shortest, list) => (list.length < shortest.length ? list : shortest), lists[0] ?? [])
  }
}

/**
 * Returns the folded words of a text. Letters and digits of a word stay together, so that `rfc9` is a prefix of
 * `RFC9110`.
 */
function wordsOf(text: string): string[] {
  const words = text.slice(0, INDEXED_UNITS).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return words.map(word => foldWord(word)).filter(word => word !== '')
}

function startsOf(word: string): string[] {
  return Array.from({ length: Math.min(START_UNITS, word.length) }, (_, last) => word.slice(0, last + 1))
}

/** Returns the digits after the letters of each word, so that `9110` finds `RFC9110`. */
function numbersIn(words: readonly string[]): string[] {
  return words.flatMap(word => /^\p{L}+(\p{N}.*)$/u.exec(word)?.[1] ?? [])
}
