import type { Snippet } from '@asof/core'

/** Number of words that name each end of a passage. The first end has more if the page has these words in several places. */
const END_WORDS = 5
/** Maximum length of a word that is kept whole, UTF-16 units. Scripts without spaces have longer ones, which are cut by their words. */
const WORD_UNITS = 16
/** Maximum length of a passage around its first matching word, in UTF-16 units to each side. */
const SIDE_UNITS = 200
/** Maximum distance between the two ends of a passage in a page, where links and line ends add to it, in UTF-16 units. */
const PASSAGE_UNITS = 4_000
/** Maximum number of places of a page that are compared for one run of words. */
const MAX_PLACES = 20
/** Maximum number of runs of words of a sentence that are looked for, so that a page that repeats them takes no longer. */
const MAX_RUNS = 200
/** Length of the text to each side of a place that decides whether a word ends there, UTF-16 units. */
const CONTEXT_UNITS = 100

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/**
 * Returns a text fragment (WICG, URL Fragment Text Directives) for the sentence with the first matching word of a snippet: its first and
 * its last words. Returns '' if the page has none of them, or only a few words that stand in other places too. Browsers find an end only
 * if it is within one line, and begins and ends where words do; they take the first place that matches, in upper or lower case.
 */
export function textFragment({ text, highlights }: Snippet, markdown: string): string {
  const sentence = new Sentence(sentenceAround(text, highlights[0]?.[0] ?? 0), markdown)
  const start = sentence.firstEnd()
  if (!start || (!start.isOnly && start.words < END_WORDS)) return ''
  const end = sentence.lastEnd(start)
  return `#:~:text=${encoded(start.text)}${end ? `,${encoded(end.text)}` : ''}`
}

/** Some words of a sentence that stand side by side in its page too. */
interface Run {
  text: string
  /** Number of the word behind the last one. */
  next: number
  words: number
  /** Where it ends in the page. */
  end: number
  /** True if the page has it in no other place. */
  isOnly: boolean
}

class Sentence {
  readonly #text: string
  /** The page in lower case. All places are places in it. */
  readonly #page: string
  readonly #words: [from: number, to: number][]
  #runs = 0

  constructor(text: string, page: string) {
    this.#text = text
    this.#page = page.toLowerCase()
    this.#words = wordsOf(text)
  }

  /**
   * Returns the first words that stand side by side in the page and nowhere else in it. If there are none, the most words. Markup or a
   * line end may stand between two words.
   */
  firstEnd(): Run | undefined {
    let best: Run | undefined
    for (let first = 0; first < this.#words.length && this.#runs < MAX_RUNS; first++) {
      const run = this.#longestFrom(first)
      if (run && (!best || (run.isOnly === best.isOnly ? run.words > best.words : run.isOnly))) best = run
      if (best?.isOnly && best.words >= END_WORDS) break
    }
    return best
  }

  /** Returns the last words that stand side by side in the page, shortly behind the first end. */
  lastEnd({ next, end }: Run): Run | undefined {
    for (let first = Math.max(next, this.#words.length - END_WORDS); first < this.#words.length; first++) {
      const run = this.#run(first, this.#words.length - 1, end)
      if (run && run.end <= end + PASSAGE_UNITS) return run
    }
    return undefined
  }

  #longestFrom(first: number): Run | undefined {
    let longest: Run | undefined
    for (let last = first; last < this.#words.length && this.#runs < MAX_RUNS; last++) {
      if (longest?.isOnly && longest.words >= END_WORDS) break
      const run = this.#run(first, last, 0)
      if (run) longest = run
      else if (!this.#page.includes(this.#slice(first, last).toLowerCase())) break
    }
    return longest
  }

  #slice(first: number, last: number): string {
    return this.#text.slice(this.#words[first]?.[0], this.#words[last]?.[1])
  }

  /** Returns the words from one to another as they stand in the page from a place on, or undefined. */
  #run(first: number, last: number, from: number): Run | undefined {
    const text = this.#slice(first, last)
    if (!/[\p{L}\p{N}]/u.test(text)) return undefined
    this.#runs++
    const { at, isOnly } = placeOf(text.toLowerCase(), this.#page, from)
    return at === undefined
      ? undefined
      : { text, next: last + 1, words: last + 1 - first, end: at + text.length, isOnly }
  }
}

/**
 * Returns the first place of a page, from one on, where a text begins and ends where words do, and whether it is the only one. `at` is
 * undefined if there is none.
 */
function placeOf(text: string, page: string, from: number): { at: number | undefined; isOnly: boolean } {
  let first: number | undefined
  let at = page.indexOf(text, from)
  for (let i = 0; i < MAX_PLACES && at >= 0; i++) {
    if (isWordBoundary(page, at) && isWordBoundary(page, at + text.length)) {
      if (first !== undefined) return { at: first, isOnly: false }
      first = at
    }
    at = page.indexOf(text, at + 1)
  }
  return { at: first, isOnly: at < 0 }
}

function isWordBoundary(page: string, at: number): boolean {
  const from = Math.max(0, at - CONTEXT_UNITS)
  const found = segmenter.segment(page.slice(from, at + CONTEXT_UNITS)).containing(at - from)
  return !found || found.index === at - from
}

/** Returns the sentence around a place of a snippet, or the part of it near the place. */
function sentenceAround(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - SIDE_UNITS), at)
  const after = text.slice(at, at + SIDE_UNITS)
  const begin = before.search(/(?<=[.!?…。！？।][\s)]|[。！？…\n])[^.!?…。！？।\n]*$/u)
  const end = after.search(/[.!?](?=\s|$)|[…。！？।\n]/u)
  const sentence = `${begin < 0 ? before : before.slice(begin)}${end < 0 ? after : after.slice(0, end)}`
  return sentence.toWellFormed().replaceAll('\ufffd', ' ')
}

/** Returns where the words of a sentence are. Words are between spaces, but long ones are cut. */
function wordsOf(sentence: string): [from: number, to: number][] {
  return [...sentence.matchAll(/\S+/g)].flatMap(({ 0: word, index }) => {
    if (word.length <= WORD_UNITS) return [[index, index + word.length]]
    return Array.from(segmenter.segment(word), part => [
      index + part.index,
      index + part.index + part.segment.length,
    ]) as [number, number][]
  })
}

/** A dash and a comma have a meaning in a text fragment. `encodeURIComponent` leaves the dash as it is. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('-', '%2D')
}
