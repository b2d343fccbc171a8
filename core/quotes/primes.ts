const MARK = /[\n"“”„‟«»'‘’‚´]/g
const SINGLE = /['‘’‚´]/
const OPENS = /[\s(["“„«‘—–-]/
const FEET = /\p{N}['’′]\s?[\p{N}.]{1,5}$/u
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
const DIGIT = /\p{N}/u

/**
 * Returns the offsets of quotation marks and apostrophes that are typed in place of primes: behind a number, in a line where no quotation
 * is open that they could close. `27" wide`, `5'11"`, but not `"in 1999"`.
 */
export function typedPrimes(text: string): ReadonlySet<number> {
  const primes = new Set<number>()
  const open = { single: false, double: false }
  for (const { 0: mark, index } of text.matchAll(MARK)) {
    if (mark === '\n') {
      open.single = open.double = false
      continue
    }
    const kind = SINGLE.test(mark) ? 'single' : 'double'
    const [before, after] = [text[index - 1] ?? ' ', text[index + 1] ?? ' ']
    // The mark is an apostrophe.
    if (kind === 'single' && LETTER_OR_DIGIT.test(before) && /\p{L}/u.test(after)) continue
    if (kind === 'double' && FEET.test(text.slice(Math.max(0, index - 8), index))) primes.add(index)
    else if (open[kind]) open[kind] = false
    else if (DIGIT.test(before)) {
      // Such a mark at the end may close what was opened in another line.
      if (mark !== '”' || /^(?:\s?[\p{L}\p{N}(×])/u.test(text.slice(index + 1, index + 3))) primes.add(index)
    } else open[kind] = OPENS.test(before) && !/[”’´]/.test(mark)
  }
  return primes
}
