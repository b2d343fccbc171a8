import { foldWord } from '../text/characters/fold.ts'
import { plainText } from '../text/markdown/plain-text.ts'
import { LONGEST_QUOTE } from './quote-verdict.ts'
import { QuoteWords, TextWords } from './quote-words.ts'
import { WordPlaces } from './word-places.ts'

/** A quote of a page, and its range in the Markdown of the page: `markdown.slice(start, end) === quote`. UTF-16 units. */
export interface PlacedQuote {
  quote: string
  start: number
  end: number
}

/** A quote that was found by its words. */
export interface FoundQuote {
  placed: PlacedQuote
  /** The quote as a reader sees it. */
  plain: string
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
const WORD = /^[\p{L}\p{M}\p{N}]+$/u
/** Maximum number of passages of one page that are compared with a text. */
const MAX_PASSAGES = 500
/** Maximum number of passages with the words of a text that turn out to be no quotes. */
const MAX_REFUSED = 20

/** The Markdown of a page, as the place of quotes that `Engine.verify` finds verbatim. */
export class QuotableText {
  readonly markdown: string
  /** The Markdown as a reader sees it, without marks. */
  readonly plain: string
  readonly #words: TextWords
  /** The numbers of the words by their folded form, in ascending order. */
  readonly #numbers = new Map<string, number[]>()
  readonly #folded: readonly string[]
  #places: WordPlaces | undefined

  constructor(markdown: string) {
    this.markdown = markdown
    this.plain = plainText(markdown)
    this.#words = new TextWords(this.plain)
    this.#folded = this.#words.words.map(folded)
    for (const [number, word] of this.#folded.entries()) {
      const known = this.#numbers.get(word)
      if (known) known.push(number)
      else this.#numbers.set(word, [number])
    }
  }

  /** Returns a range of the Markdown as a quote. Undefined if the page does not have its words verbatim, by the rules of `verify`. */
  quote(start: number, end: number): PlacedQuote | undefined {
    const quote = this.markdown.slice(start, end)
    if (quote.length > LONGEST_QUOTE || !LETTER_OR_DIGIT.test(quote)) return undefined
    const words = new QuoteWords(quote)
    return words.parts === 1 && words.in(this.#words) ? { quote, start, end } : undefined
  }

  /** Returns a range of the plain text as a quote. Undefined if the Markdown has other words there, such as the target of a link. */
  quoteOfPlain(start: number, end: number): PlacedQuote | undefined {
    this.#places ??= new WordPlaces(this.#words, this.markdown)
    const range = this.#places.of(start, end)
    const found = range && this.quote(...range)
    const isSame = found && wordsOf(found.quote).join(' ') === wordsOf(this.plain.slice(start, end)).join(' ')
    return isSame ? found : undefined
  }

  /** Yields the passages with the words of a text, whatever the case of their letters and their diacritics. */
  *find(text: string): Generator<FoundQuote> {
    const sought = text.length > LONGEST_QUOTE ? [] : wordsOf(text).map(folded)
    const { starts, ends } = this.#words
    let left = MAX_REFUSED
    for (const from of this.#passages(sought)) {
      if (!sought.every((word, i) => this.#folded[from + i] === word)) continue
      const [start, end] = [starts[from]!, ends[from + sought.length - 1]!]
      const placed = this.quoteOfPlain(start, end)
      if (placed) yield { placed, plain: this.plain.slice(start, end) }
      else if (--left === 0) return
    }
  }

  /** Returns the numbers of the words at which passages with the rarest of some words may begin. */
  #passages(sought: readonly string[]): number[] {
    let rarest: readonly number[] | undefined
    let before = 0
    for (const [i, word] of sought.entries()) {
      const numbers = this.#numbers.get(word)
      if (!numbers) return []
      if (rarest && rarest.length <= numbers.length) continue
      rarest = numbers
      before = i
    }
    return (rarest ?? [])
      .slice(0, MAX_PASSAGES)
      .map(number => number - before)
      .filter(from => from >= 0)
  }
}

function wordsOf(text: string): readonly string[] {
  return new QuoteWords(text).all.words
}

/** Signs stay as they are, because folding would drop them: C++ is not C. */
function folded(word: string): string {
  return WORD.test(word) ? foldWord(word) : word.toLowerCase()
}
