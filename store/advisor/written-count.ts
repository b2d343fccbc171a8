const smallNumbers: Readonly<Record<string, number>> = {
  single: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
}

const scales: Readonly<Record<string, number>> = {
  dozen: 12,
  hundred: 100,
  k: 1_000,
  thousand: 1_000,
  m: 1_000_000,
  million: 1_000_000,
}

/** Maximum count. Larger counts are lowered to it, so that sums stay exact. It is far above the limit of a quote. */
const MAX_COUNT = 1_000_000_000

/**
 * Reads a count such as `1,000`, `2.5k`, `two hundred` or `a dozen` at a position of a list of words.
 *
 * @returns the count, rounded up, and the position after it.
 */
export function writtenCount(words: readonly string[], at: number): { count: number; next: number } | undefined {
  const word = words[at] ?? ''
  let next = at + 1
  let count: number | undefined
  if (/^\d/.test(word)) count = Number(word.replaceAll(',', ''))
  else if (Object.hasOwn(smallNumbers, word)) count = smallNumbers[word]
  else if ((word === 'a' || word === 'an') && scaleAt(words, next) !== undefined) count = 1
  if (count === undefined) return undefined
  for (let scale = scaleAt(words, next); scale !== undefined && count < MAX_COUNT; scale = scaleAt(words, next)) {
    count *= scale
    next += 1
  }
  return { count: Math.min(Math.ceil(count), MAX_COUNT), next }
}

function scaleAt(words: readonly string[], at: number): number | undefined {
  const word = words[at] ?? ''
  return Object.hasOwn(scales, word) ? scales[word] : undefined
}
