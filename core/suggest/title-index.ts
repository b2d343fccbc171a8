import { partitionPoint } from '../bytes/binary-search.ts'
import type { Suggestion } from './suggestion.ts'
import { type JoinedTexts, START_UNITS, type TitleColumns, titleWordsOf } from './title-columns.ts'

/** A suggestion, with the page from which it comes. */
export interface Suggested extends Suggestion {
  /** The page that has the title or is on the site. */
  pageUrl: string
  /** The capture of that page. */
  captureId: number
}

const none = new Uint32Array()

/** Finds titles and sites by prefixes of their words. */
export class TitleIndex {
  readonly #columns: TitleColumns

  constructor(columns: TitleColumns) {
    this.#columns = columns
  }

  /**
   * Finds texts in which each word of `text` is a prefix of some word. Texts that begin with `text` come before the
   * others. Within both kinds, texts that contain all words of `text` as whole words come first, and equally good texts
   * are in the order of addition.
   */
  find(text: string, limit: number): Suggested[] {
    const prefixes = titleWordsOf(text)
    const beginning = ` ${prefixes.join(' ')}`
    const ranked: number[][] = [[], [], [], []]
    for (const entry of this.#possibleEntries(prefixes)) {
      const words = textAt(this.#columns.words, entry)
      if (!prefixes.every(prefix => words.includes(` ${prefix}`))) continue
      const isWhole = prefixes.every(prefix => words.includes(` ${prefix} `))
      const rank = ranked[(words.startsWith(beginning) ? 0 : 2) + (isWhole ? 0 : 1)]!
      if (rank.length < limit) rank.push(entry)
    }
    return ranked
      .flat()
      .slice(0, limit)
      .map(entry => this.#suggested(entry))
  }

  /** Returns the entries of the rarest prefix. */
  #possibleEntries(prefixes: readonly string[]): Uint32Array {
    const lists = prefixes.map(prefix => this.#entriesOf(prefix.slice(0, START_UNITS)))
    return lists.reduce((shortest, list) => (list.length < shortest.length ? list : shortest), lists[0] ?? none)
  }

  #entriesOf(start: string): Uint32Array {
    const { starts, entries, entryEnds } = this.#columns
    const at = partitionPoint(starts.ends.length, number => textAt(starts, number) < start)
    if (at === starts.ends.length || textAt(starts, at) !== start) return none
    return entries.subarray(at === 0 ? 0 : entryEnds[at - 1], entryEnds[at])
  }

  #suggested(entry: number): Suggested {
    const { texts, pageUrls, captureIds, isSite } = this.#columns
    const page = { text: textAt(texts, entry), pageUrl: textAt(pageUrls, entry), captureId: captureIds[entry]! }
    return isSite[entry] === 1 ? { kind: 'site', ...page } : { kind: 'title', url: page.pageUrl, ...page }
  }
}

function textAt({ text, ends }: JoinedTexts, number: number): string {
  return text.slice(number === 0 ? 0 : ends[number - 1], ends[number])
}
