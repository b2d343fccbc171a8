import { lowerBound } from '../bytes/binary-search.ts'
import type { TextWords } from './quote-words.ts'

/** The target of a link or image in Markdown, with the brackets around it. */
const TARGET = /\]\((?:<[^<>\n]*>|[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)(?:[ \t]+"[^"\n]*")?\)/g
/** Maximum number of UTF-16 units of marks between two words that follow one another, such as the line below the head of a wide table. */
const MAX_MARKS = 1_000
/** Maximum number of UTF-16 units of words without a place that are skipped. */
const MAX_SKIPPED = 4_000
/**
 * Maximum number of UTF-16 units that are searched in vain, per unit of the Markdown. When they are used up, the Markdown writes too many words
 * in another way, and the rest has no places.
 */
const SEARCHED_PER_UNIT = 64

/**
 * Where the Markdown of a page has the words of its plain text. Each word is looked for behind the one before, outside of the targets of
 * links. A word that the Markdown writes with escapes or marks in it has no place.
 */
export class WordPlaces {
  readonly #words: TextWords
  readonly #markdown: string
  /** For each word, its offset in the Markdown; −1 without a place. */
  readonly #places: Int32Array

  constructor(words: TextWords, markdown: string) {
    this.#words = words
    this.#markdown = markdown
    this.#places = new Int32Array(words.words.length).fill(-1)
    const { text, starts, ends } = words
    const shown = new ShownMarkdown(markdown)
    let behind = 0
    // The end of the last word with a place, in the plain text.
    let known = 0
    let left = SEARCHED_PER_UNIT * shown.text.length
    for (const [number, start] of starts.entries()) {
      const word = text.slice(start, ends[number])
      const reach = MAX_MARKS + Math.min(start - known, MAX_SKIPPED)
      const near = shown.text.slice(behind, behind + reach + word.length)
      const at = near.indexOf(word)
      if (at < 0) {
        left -= near.length
        if (left < 0) break
        continue
      }
      this.#places[number] = shown.placeOf(behind + at)
      behind += at + word.length
      known = start + word.length
    }
  }

  /** Returns the range of the Markdown for a range of the plain text. Undefined if the first or last word has no place. */
  of(start: number, end: number): [start: number, end: number] | undefined {
    const { starts, ends } = this.#words
    const first = lowerBound(ends, ends.length, start + 1)
    const last = lowerBound(starts, starts.length, end) - 1
    const [from = -1, to = -1] = [this.#places[first], this.#places[last]]
    if (from < 0 || to < 0 || last < first) return undefined
    return [from + start - starts[first]!, to + end - starts[last]!]
  }

  /**
   * Returns the range of the Markdown that has the words from number `from` up to `to`, exclusive. If the first or last word has no place, the
   * range extends to the nearest word outside that has one.
   */
  around(from: number, to: number): [start: number, end: number] {
    const markdown = this.#markdown
    let start = this.#places[from]!
    if (start < 0) {
      const before = this.#places.findLastIndex((place, number) => number < from && place >= 0)
      start = before < 0 ? 0 : this.#endOf(before)
      while (isBlank(markdown.charCodeAt(start))) start++
    }
    if (this.#places[to - 1]! >= 0) return [start, this.#endOf(to - 1)]
    const behind = this.#places.findIndex((place, number) => number >= to && place >= 0)
    let end = behind < 0 ? markdown.length : this.#places[behind]!
    while (end > start && isBlank(markdown.charCodeAt(end - 1))) end--
    return [start, end]
  }

  /** Returns the end of a word that has a place. */
  #endOf(number: number): number {
    const { starts, ends } = this.#words
    return this.#places[number]! + ends[number]! - starts[number]!
  }
}

function isBlank(unit: number): boolean {
  return unit <= 0x20
}

/** Markdown without the targets of its links. */
class ShownMarkdown {
  readonly text: string
  /** For each part of the text, where it begins there and in the Markdown. */
  readonly #parts: [shown: number, place: number][] = []
  /** The part of the last place. Places are asked for in ascending order. */
  #part = 0

  constructor(markdown: string) {
    let text = ''
    let from = 0
    for (const { 0: target, index } of [...markdown.matchAll(TARGET), { 0: '', index: markdown.length }]) {
      this.#parts.push([text.length, from])
      // The bracket is kept, so that the words before and behind the target stay apart.
      text += markdown.slice(from, index + 1)
      from = index + target.length
    }
    this.text = text
  }

  placeOf(shown: number): number {
    while ((this.#parts[this.#part + 1]?.[0] ?? Number.POSITIVE_INFINITY) <= shown) this.#part++
    const [begin, place] = this.#parts[this.#part] ?? [0, 0]
    return place + shown - begin
  }
}
