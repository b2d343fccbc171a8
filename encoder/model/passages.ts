/** How a page is cut into passages. The rule is part of the identity of vectors. */
export const passageRule = {
  /** Number of words of a passage: about as many as fit, with the title, into 128 tokens. */
  words: 80,
  /** Maximum number of passages of a page. */
  passages: 6,
  /** Maximum number of words of the title. */
  titleWords: 30,
  /** Number of UTF-16 units that are read. */
  units: 16_384,
} as const

const WORD = /\S+/g

/**
 * Cuts a page into passages of equal length that each begin with its title. The vector of the page is the mean of theirs.
 *
 * @param page - its title, a line feed, and its text; or its text alone.
 * @returns at least one passage.
 */
export function passagesOf(page: string): string[] {
  const read = page.slice(0, passageRule.units)
  const end = Math.max(0, read.indexOf('\n'))
  const title = (read.slice(0, end).match(WORD) ?? []).slice(0, passageRule.titleWords).join(' ')
  const words = (read.slice(end).match(WORD) ?? []).slice(0, passageRule.words * passageRule.passages)
  const count = Math.max(1, Math.round(words.length / passageRule.words))
  const each = Math.ceil(words.length / count)
  return Array.from({ length: count }, (_, p) => {
    const passage = words.slice(p * each, (p + 1) * each).join(' ')
    return title === '' ? passage : `${title}\n${passage}`
  })
}

/** Returns the mean of vectors of length 1, of length 1. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const [first = new Float32Array(), ...others] = vectors
  if (others.length === 0) return first
  const sums = Float64Array.from(first)
  for (const vector of others) for (let j = 0; j < sums.length; j++) sums[j] = sums[j]! + vector[j]!
  let square = 0
  for (const sum of sums) square += sum * sum
  // Vectors that cancel each other out leave the first.
  const length = Math.sqrt(square)
  return length > 1e-9 ? Float32Array.from(sums, sum => sum / length) : first
}
