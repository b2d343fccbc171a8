import { foldWord } from '../text/characters/fold.ts'
import type { Suggestion } from './suggestion.ts'

/** Number of UTF-16 units of a text that are indexed. The rest is ignored. */
const INDEXED_UNITS = 200

/** Maximum length, in UTF-16 units, of the prefixes under which entries are listed. */
export const START_UNITS = 4

/** Many texts, joined to one, because another thread receives one long text faster than many short ones. */
export interface JoinedTexts {
  text: string
  /** For each text, the offset of its end in `text`, UTF-16 units. */
  ends: Uint32Array<ArrayBuffer>
}

/** An index of titles and sites, as plain data that is cheap to send to another thread. Entries are numbered in the order of addition. */
export interface TitleColumns {
  texts: JoinedTexts
  /** For each entry, its folded words and then the numbers that follow letters in them, with a space before and after each. */
  words: JoinedTexts
  /** For each entry, the URL of the page that has the title or is on the site. */
  pageUrls: JoinedTexts
  /** For each entry, the number of the page's capture. */
  captureIds: Float64Array<ArrayBuffer>
  /** 1 for a site, 0 for a title. */
  isSite: Uint8Array<ArrayBuffer>
  /** The prefixes of all words, of up to {@link START_UNITS} UTF-16 units, ascending. */
  starts: JoinedTexts
  /** For each prefix, one after another, the entries with a word that begins with the prefix, ascending. */
  entries: Uint32Array<ArrayBuffer>
  /** For each prefix, the index in `entries` behind its last entry. */
  entryEnds: Uint32Array<ArrayBuffer>
}

/** A title or a site, with the page from which it comes. */
export interface TitleEntry extends Pick<Suggestion, 'kind' | 'text'> {
  /** The page that has the title or is on the site. */
  pageUrl: string
  /** The capture of that page. */
  captureId: number
}

/** Makes {@link TitleColumns}. */
export class TitleColumnsBuilder {
  readonly #entries: TitleEntry[] = []
  readonly #words: string[] = []
  /** For each prefix the entries with a word that begins with it, ascending. */
  readonly #byStart = new Map<string, number[]>()
  readonly #known = new Set<string>()

  /** Adds a text, unless the index has it already. Of equally good suggestions, the one that was added first comes first. */
  add(entry: TitleEntry): void {
    const name = `${entry.kind} ${entry.text.toLowerCase()}`
    if (this.#known.has(name)) return
    this.#known.add(name)
    const written = titleWordsOf(entry.text)
    const words = [...written, ...numbersIn(written)]
    for (const word of words) this.#list(word, this.#entries.length)
    this.#entries.push(entry)
    this.#words.push(` ${words.join(' ')} `)
  }

  build(): TitleColumns {
    const entries = this.#entries
    const starts = [...this.#byStart.keys()].sort()
    const lists = starts.map(start => this.#byStart.get(start)!)
    return {
      texts: joined(entries.map(({ text }) => text)),
      words: joined(this.#words),
      pageUrls: joined(entries.map(({ pageUrl }) => pageUrl)),
      captureIds: Float64Array.from(entries, ({ captureId }) => captureId),
      isSite: Uint8Array.from(entries, ({ kind }) => Number(kind === 'site')),
      starts: joined(starts),
      entries: Uint32Array.from(lists.flat()),
      entryEnds: endsOf(lists),
    }
  }

  #list(word: string, entry: number): void {
    const longest = Math.min(START_UNITS, word.length)
    for (let units = 1; units <= longest; units++) {
      const start = word.slice(0, units)
      const entries = this.#byStart.get(start)
      if (!entries) this.#byStart.set(start, [entry])
      else if (entries[entries.length - 1] !== entry) entries.push(entry)
    }
  }
}

/** The buffers of columns, which may be moved to another thread. */
export function titleBuffersOf(columns: TitleColumns): ArrayBuffer[] {
  const { texts, words, pageUrls, captureIds, isSite, starts, entries, entryEnds } = columns
  const arrays = [texts.ends, words.ends, pageUrls.ends, captureIds, isSite, starts.ends, entries, entryEnds]
  return arrays.map(({ buffer }) => buffer)
}

function joined(texts: readonly string[]): JoinedTexts {
  return { text: texts.join(''), ends: endsOf(texts) }
}

function endsOf(parts: readonly { length: number }[]): Uint32Array<ArrayBuffer> {
  let end = 0
  return Uint32Array.from(parts, ({ length }) => (end += length))
}

/**
 * Returns the folded words of a text. Letters and digits of a word stay together, so that `rfc9` is a prefix of
 * `RFC9110`.
 */
export function titleWordsOf(text: string): string[] {
  const words = text.slice(0, INDEXED_UNITS).match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  return words.map(word => foldWord(word)).filter(word => word !== '')
}

/** Returns the digits after the letters of each word, so that `9110` finds `RFC9110`. */
function numbersIn(words: readonly string[]): string[] {
  return words.flatMap(word => /^\p{L}+(\p{N}.*)$/u.exec(word)?.[1] ?? [])
}
