import type { QuoteDifference } from '../quote-verdict.ts'
import { startsAlike, type TextWords } from './quote-words.ts'

/** A passage of a text that is like a quote. */
export interface NearPassage {
  /** The numbers of its first word, and of the word behind its last one. */
  from: number
  to: number
  differences: QuoteDifference[]
}

/** A passage is near if at most this share of the words of the quote is other or missing. */
const MOST_CHANGED = 0.5
/** What differences cost. A word that the passage has besides costs less, so that most words of the quote are found. */
const REPLACED = 2
const MISSING = 2
const ADDED = 1

/**
 * Finds the passage of a text that is made from a quote by the cheapest replacements, omissions and additions of words (Sellers, 1980),
 * around the place that has the most words in common with it. So the time is linear in the length of the text.
 *
 * @returns undefined if no passage is near.
 */
export function nearestPassage(quote: TextWords, text: TextWords): NearPassage | undefined {
  const length = quote.words.length
  const center = mostInCommon(quote.words, text.words)
  if (center === undefined) return undefined
  const begin = Math.max(0, center - Math.ceil(length / 2))
  const end = Math.min(text.words.length, center + length + Math.ceil(length / 2))
  return aligned(quote, text, begin, end)
}

/** Returns the first word of the window, as long as the quote, that has the most words in common with it, in any order and case. */
function mostInCommon(quote: readonly string[], text: readonly string[]): number | undefined {
  const needed = new Map<string, number>()
  for (const word of quote) needed.set(word.toLowerCase(), (needed.get(word.toLowerCase()) ?? 0) + 1)
  const words = text.map(word => word.toLowerCase())
  let common = 0
  let most = 0
  let best: number | undefined
  for (let i = 0; i < words.length + quote.length - 1; i++) {
    const left = words[i - quote.length]
    const kept = left === undefined ? undefined : needed.get(left)
    if (left !== undefined && kept !== undefined) {
      if (kept >= 0) common--
      needed.set(left, kept + 1)
    }
    const entered = words[i]
    const free = entered === undefined ? undefined : needed.get(entered)
    if (entered !== undefined && free !== undefined) {
      if (free > 0) common++
      needed.set(entered, free - 1)
    }
    if (common <= most) continue
    most = common
    best = Math.max(0, i - quote.length + 1)
  }
  return most >= quote.length * (1 - MOST_CHANGED) ? best : undefined
}

function aligned(quote: TextWords, text: TextWords, begin: number, end: number): NearPassage | undefined {
  const rows = quote.words.length
  const columns = end - begin
  const isSame = (row: number, column: number): boolean => {
    const word = quote.words[row - 1]!
    const other = text.words[begin + column - 1]!
    return word === other || (row === 1 && startsAlike(word, other))
  }
  // costs[row * width + column]: of making the first words of the quote from some words that end before the column.
  const width = columns + 1
  const costs = new Uint16Array((rows + 1) * width)
  for (let row = 1; row <= rows; row++) {
    costs[row * width] = row * MISSING
    for (let column = 1; column <= columns; column++) {
      const at = row * width + column
      const replaced = costs[at - width - 1]! + (isSame(row, column) ? 0 : REPLACED)
      const missing = costs[at - width]! + MISSING
      const added = costs[at - 1]! + ADDED
      costs[at] = Math.min(replaced, missing, added)
    }
  }
  let column = 0
  for (let c = 1; c <= columns; c++) if (costs[rows * width + c]! <= costs[rows * width + column]!) column = c
  if (costs[rows * width + column]! > rows * MOST_CHANGED * REPLACED) return undefined
  const to = begin + column
  // Back from the end: each step takes a word of the quote, one of the text, or one of both.
  const steps: { quote?: number; text?: number }[] = []
  for (let row = rows; row > 0; ) {
    const at = row * width + column
    const same = column > 0 && isSame(row, column)
    if (column > 0 && costs[at] === costs[at - width - 1]! + (same ? 0 : REPLACED)) {
      row--
      column--
      steps.push(same ? {} : { quote: row, text: begin + column })
    } else if (column > 0 && costs[at] === costs[at - 1]! + ADDED) steps.push({ text: begin + --column })
    else steps.push({ quote: --row })
  }
  return { from: begin + column, to, differences: differencesIn(steps.reverse(), quote, text) }
}

/** Joins neighboring steps of one difference. A step without words is an equal word. */
function differencesIn(
  steps: readonly { quote?: number; text?: number }[],
  quote: TextWords,
  text: TextWords,
): QuoteDifference[] {
  const differences: QuoteDifference[] = []
  let inQuote: number[] = []
  let inText: number[] = []
  const finish = () => {
    if (inQuote.length + inText.length > 0)
      differences.push({ quote: spelled(quote, inQuote), page: spelled(text, inText) })
    inQuote = []
    inText = []
  }
  for (const step of steps) {
    if (step.quote === undefined && step.text === undefined) finish()
    if (step.quote !== undefined) inQuote.push(step.quote)
    if (step.text !== undefined) inText.push(step.text)
  }
  finish()
  return differences
}

/** Words that follow one another, as the text writes them. */
function spelled({ text, starts, ends }: TextWords, words: readonly number[]): string {
  const [first] = words
  const last = words.at(-1)
  return first === undefined || last === undefined ? '' : text.slice(starts[first], ends[last])
}
