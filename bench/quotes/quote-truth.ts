import type { PageVersion } from './page-histories.ts'

/** A quote in words, part by part; an ellipsis is between two parts. */
export type QuoteParts = readonly (readonly string[])[]

/** The right answer for a quote as of an instant, which follows from comparing each word of each version. */
export interface QuoteTruth {
  /** Also `reworded` if the page contradicts the quote: this depends on the meaning of words, which `verify-pairs.ts` tests. */
  verdict: 'verbatim' | 'reworded' | 'gone' | 'unknown_page'
  stood: { from: number; until?: number }[]
  /** The cost of the cheapest passage. Undefined if there is no page as of the instant. */
  cost?: number
}

/** Costs of a replaced, a missing and an added word. A quote is reworded if its cost is at most its number of words, and else gone. */
const REPLACED = 2
const MISSING = 2
const ADDED = 1

export function truthOf(quote: QuoteParts, versions: readonly PageVersion[], queryTime: number): QuoteTruth {
  const known = versions.filter(({ at }) => at <= queryTime)
  const stood: QuoteTruth['stood'] = []
  for (const { at, sentences } of known) {
    const last = stood.at(-1)
    const isOpen = last !== undefined && last.until === undefined
    const has = sentences !== undefined && hasParts(quote, sentences.flat())
    if (isOpen && !has) last.until = at
    else if (has && !isOpen) stood.push({ from: at })
  }
  const current = known.at(-1)
  if (!current) return { verdict: 'unknown_page', stood }
  if (!current.sentences) return { verdict: 'gone', stood }
  const page = current.sentences.flat()
  if (hasParts(quote, page)) return { verdict: 'verbatim', stood, cost: 0 }
  const words = quote.flat()
  const cost = cheapest(quote, page)
  return { verdict: cost <= words.length ? 'reworded' : 'gone', stood, cost }
}

/** Returns the cost of differences, each given as its text in the quote and its text on the page. */
export function costOf(differences: readonly { quote: string; page: string }[]): number {
  const count = (text: string) => asciiWords(text).length
  return differences
    .map(({ quote, page }) => [count(quote), count(page)] as const)
    .map(([ours, theirs]) =>
      ours > theirs ? theirs * REPLACED + (ours - theirs) * MISSING : ours * REPLACED + (theirs - ours) * ADDED,
    )
    .reduce((sum, cost) => sum + cost, 0)
}

/**
 * Splits a text into words, and leaves out all signs. A word has letters and digits, apostrophes before letters, and points and commas between
 * digits. Commas between groups of thousands are left out of the word.
 */
export function asciiWords(text: string): string[] {
  const isLetter = (sign = '') => /[A-Za-z]/.test(sign)
  const isDigit = (sign = '') => /[0-9]/.test(sign)
  const words: string[] = []
  let word = ''
  for (let i = 0; i <= text.length; i++) {
    const sign = text.charAt(i)
    const [before, after] = [text[i - 1], text[i + 1]]
    const joins =
      word !== '' && ((sign === "'" && isLetter(after)) || (/[.,]/.test(sign) && isDigit(before) && isDigit(after)))
    if (isLetter(sign) || isDigit(sign) || joins) {
      word += sign
      continue
    }
    if (word !== '') words.push(withoutCommas(word))
    word = ''
  }
  return words
}

function withoutCommas(word: string): string {
  const [whole = '', ...parts] = word.split('.')
  const groups = whole.split(',')
  const areGroups =
    groups.length > 1 &&
    groups.every((group, i) => /^\d+$/.test(group) && (i > 0 ? group.length === 3 : group.length < 4))
  if (!areGroups || parts.length > 1 || !/^\d*$/.test(parts.join(''))) return word
  return [groups.join(''), ...parts].join('.')
}

function hasParts(parts: QuoteParts, page: readonly string[]): boolean {
  let from = 0
  for (const part of parts) {
    while (from + part.length <= page.length && !part.every((word, i) => isSame(word, page[from + i]!, i))) from++
    if (from + part.length > page.length) return false
    from += part.length
  }
  return true
}

/** True if two words are equal. In the first word of a quote, the case of the first letter does not count. @param place - in the quote. */
function isSame(quoted: string, word: string, place: number): boolean {
  if (place > 0 || quoted === word) return quoted === word
  return quoted.slice(1) === word.slice(1) && quoted.charAt(0).toLowerCase() === word.charAt(0).toLowerCase()
}

function cheapest(parts: QuoteParts, page: readonly string[]): number {
  let costs = Array<number>(page.length + 1).fill(0)
  let row = 0
  for (const [i, part] of parts.entries())
    for (const [at, word] of part.entries()) {
      // Between two parts the page may have any words.
      const added = at === part.length - 1 && i < parts.length - 1 ? 0 : ADDED
      const next = [costs[0]! + MISSING]
      for (const [column, other] of page.entries())
        next.push(
          Math.min(
            costs[column]! + (isSame(word, other, row) ? 0 : REPLACED),
            costs[column + 1]! + MISSING,
            next[column]! + added,
          ),
        )
      costs = next
      row++
    }
  return Math.min(...costs)
}
