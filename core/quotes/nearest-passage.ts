import { differInPrefix } from './prefix-operators.ts'
import { type QuoteWords, startsAlike, type TextWords } from './quote-words.ts'

/** Neighboring words of a quote, and the words that a text has in their place, by their numbers. One of the two sides may be empty. */
export interface WordChange {
  quote: readonly number[]
  text: readonly number[]
}

/** The words of one side of a {@link WordChange}: those of the quote, or those of the page. */
export interface ChangedWords {
  /** All words of the quote or the page. */
  all: TextWords
  /** The numbers of the changed words in `all`. */
  numbers: readonly number[]
  words: readonly string[]
}

/** Returns one side of a change, by the numbers of its words. */
export function sideOf(all: TextWords, numbers: readonly number[]): ChangedWords {
  return { all, numbers, words: numbers.map(number => all.words[number]!) }
}

/** A passage of a text that is like a quote. */
export interface NearPassage {
  /** The numbers of its first word, and of the word behind its last one. */
  from: number
  to: number
  changes: WordChange[]
}

/** A passage is near if at most this share of the words of the quote is other or missing. */
const MAX_CHANGED = 0.5
/** The costs of differences. A word that only the passage has costs less, so that most words of the quote are found. */
const REPLACED = 2
const MISSING = 2
const ADDED = 1
/**
 * Maximum number of cells of an alignment. It bounds the time that a long quote takes. If a text would need more cells, only the
 * surroundings of the best window are aligned. There the passage may begin up to twice the length of the quote before or behind the
 * window; for a quote of 2,000 words, up to 250 words.
 */
const MAX_CELLS = 1_000_000
/** Stands for a cost that is too high. It is higher than all costs of the longest quote. */
const TOO_MUCH = 1 << 20
/** The number of a word that the text does not have. */
const ABSENT = -1
/** The steps of an alignment. */
const SAME = 0
const OTHER = 1
const MORE = 2
const LESS = 3

/** Finds the passages of a text that are nearest to quotes. The words of the text are numbered once for all of them. */
export class NearestPassages {
  readonly #text: TextWords
  readonly #numbers = new Map<string, number>()
  readonly #foldedNumbers = new Map<string, number>()
  /** The number of each word. */
  readonly #words: Int32Array
  /** The number of each word in lower case. */
  readonly #folded: Int32Array

  constructor(text: TextWords) {
    this.#text = text
    this.#words = Int32Array.from(text.words, word => numberOf(word, this.#numbers))
    const folds = Int32Array.from(this.#numbers.keys(), word => numberOf(word.toLowerCase(), this.#foldedNumbers))
    this.#folded = this.#words.map(word => folds[word]!)
  }

  /**
   * Finds the passage that is made from a quote by the cheapest replacements, omissions and additions of words (Sellers, 1980). In a long
   * text, only the surroundings of the place that has the most words in common with the quote are aligned. So the time is linear in the
   * length of the text and in that of a long quote. Words of the text at an ellipsis of the quote cost nothing, and are no change.
   *
   * @returns undefined if no passage is near.
   */
  nearest({ all, gaps }: QuoteWords): NearPassage | undefined {
    const center = this.#mostInCommon(all.words)
    return center === undefined ? undefined : this.#aligned(all, gaps, center)
  }

  /** True if the text has a word in exactly this letter case. */
  has(word: string): boolean {
    return this.#numbers.has(word)
  }

  /**
   * Finds the window of the text, as long as the quote, that has the most words in common with the quote, in any order and letter case.
   *
   * @returns the number of the first word of the window; undefined if too few words are in common.
   */
  #mostInCommon(quote: readonly string[]): number | undefined {
    const words = this.#folded
    // For each word, how many more times the quote has it than the window.
    const needed = new Int32Array(this.#foldedNumbers.size)
    for (const word of quote) {
      const number = this.#foldedNumbers.get(word.toLowerCase())
      if (number !== undefined) needed[number]!++
    }
    let common = 0
    let most = 0
    let best = 0
    for (let i = 0; i < words.length; i++) {
      if (i >= quote.length && needed[words[i - quote.length]!]!++ >= 0) common--
      if (needed[words[i]!]!-- > 0) common++
      if (common <= most) continue
      most = common
      best = Math.max(0, i - quote.length + 1)
    }
    // A near passage has at least half of the words, and is less than twice as long as the quote. So two windows cover it, and one of them
    // has at least half of these words.
    return most > 0 && most >= (quote.length * (1 - MAX_CHANGED)) / 2 ? best : undefined
  }

  #aligned(quote: TextWords, gaps: ReadonlySet<number>, center: number): NearPassage | undefined {
    const length = quote.words.length
    const { before, width } = this.#band(length, center)
    // Cell `b` of a row stands for passages that end before the word `before + row + b` of the text.
    const firstCell = (row: number) => Math.max(0, -before - row)
    const lastCell = (row: number) => Math.min(width - 1, this.#words.length - before - row)
    // For each cell, the cost of making the first `row` words of the quote. One more cell stands for all that is beyond the band.
    const costs = new Int32Array(width + 1).fill(TOO_MUCH)
    costs.fill(0, firstCell(0), lastCell(0) + 1)
    const start = Math.max(0, before)
    const band = this.#words.subarray(start, Math.max(start, before + length + width))
    const steps = new Uint8Array((length + 1) * width)
    for (let row = 1; row <= length; row++) {
      const spelling = quote.words[row - 1]!
      const word = this.#numbers.get(spelling) ?? ABSENT
      const words = row > 1 ? band : this.#withFirst(spelling, word, band.subarray(0, width), start)
      const last = lastCell(row)
      const added = gaps.has(row) ? 0 : ADDED
      let left = TOO_MUCH
      for (let b = firstCell(row); b <= last; b++) {
        const isSame = words[before - start + row + b - 1] === word
        let cost = costs[b]! + (isSame ? 0 : REPLACED)
        let step = isSame ? SAME : OTHER
        if (left + added < cost) {
          cost = left + added
          step = MORE
        }
        const missing = costs[b + 1]! + MISSING
        if (missing < cost) {
          cost = missing
          step = LESS
        }
        costs[b] = left = cost
        steps[row * width + b] = step
      }
    }
    let b = firstCell(length)
    // The text may end before the band does.
    if (b > lastCell(length)) return undefined
    for (let other = b; other <= lastCell(length); other++) if (costs[other]! <= costs[b]!) b = other
    if (costs[b]! > length * MAX_CHANGED * REPLACED) return undefined
    const to = before + length + b
    // Follows the steps back from the end. Each takes a word of the quote, one of the text, or one of both.
    const taken: Step[] = []
    let row = length
    while (row > 0) {
      const step = steps[row * width + b]
      const text = before + row + b - 1
      if (step === SAME && !this.#differInPrefix(quote, row - 1, text)) taken.push({})
      else if (step === SAME || step === OTHER) taken.push({ quote: row - 1, text })
      else if (step === MORE) taken.push(gaps.has(row) ? { isLeftOut: true } : { text })
      else taken.push({ quote: row - 1 })
      if (step === MORE) b--
      else row--
      if (step === LESS) b++
    }
    return { from: before + b, to, changes: changesIn(taken.reverse()) }
  }

  #differInPrefix(quote: TextWords, place: number, text: number): boolean {
    return differInPrefix(quote.prefixes.get(place), this.#text.prefixes.get(text), place === 0)
  }

  /** Returns the band of an alignment: the whole text if it is small enough, otherwise the words around the center. */
  #band(length: number, center: number): { before: number; width: number } {
    const whole = this.#words.length + length + 1
    if (length * whole <= MAX_CELLS) return { before: -length, width: whole }
    const reach = Math.min(2 * length, Math.floor(MAX_CELLS / (2 * length)))
    return { before: center - reach, width: 2 * reach + 1 }
  }

  /** Returns a copy of `words` in which every word that may be the first one of the quote has the number `word`. */
  #withFirst(spelling: string, word: number, words: Int32Array, start: number): Int32Array {
    const { words: spellings } = this.#text
    return words.map((other, i) => (startsAlike(spelling, spellings[start + i]!) ? word : other))
  }
}

function numberOf(word: string, numbers: Map<string, number>): number {
  const known = numbers.get(word)
  if (known !== undefined) return known
  numbers.set(word, numbers.size)
  return numbers.size - 1
}

/**
 * A step of an alignment, by the numbers of the words that it takes. A step without numbers takes a word that is equal in both, or a word of
 * the text at an ellipsis of the quote.
 */
interface Step {
  quote?: number
  text?: number
  isLeftOut?: boolean
}

/** Joins neighboring steps with different words to changes. */
function changesIn(steps: readonly Step[]): WordChange[] {
  const changes: WordChange[] = []
  let quote: number[] = []
  let text: number[] = []
  const finish = () => {
    if (quote.length + text.length > 0) changes.push({ quote, text })
    quote = []
    text = []
  }
  for (const step of steps) {
    if (step.quote === undefined && step.text === undefined) finish()
    if (step.quote !== undefined) quote.push(step.quote)
    if (step.text !== undefined) text.push(step.text)
  }
  finish()
  return changes
}
