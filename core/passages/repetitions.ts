/** Share of the distinct words of two texts that both have, from which one repeats the other. */
const SAME_WORDS = 0.9
/** Share of the pairs of characters of two texts that both have, below which they are not compared word by word. */
const SAME_PAIRS = 0.75
/** Number of groups in which pairs of characters are counted. */
const GROUPS = 256

/** Texts with up to this many distinct words share {@link SAME_WORDS} only if they have the same ones. */
const FEW_WORDS = 8

interface KnownText {
  text: string
  /** Number of pairs of adjacent characters of each group. */
  counts: Uint16Array
  /** The distinct words. */
  words: ReadonlySet<string>
}

/** Detects texts that nearly repeat an earlier one: they have the same words. */
export class Repetitions {
  /** The texts by {@link bucketOf}, so that the thousands of short texts that a page may have are not compared with each other. */
  readonly #known = new Map<string, KnownText[]>()
  /** Number of comparisons of two texts. */
  compared = 0

  /** Returns true if a text has nearly the words of an earlier one. Otherwise remembers it. */
  repeats(text: string): boolean {
    const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))
    const given: KnownText = { text, counts: countsOf(text), words }
    const bucket = bucketOf(words)
    const known = this.#known.get(bucket) ?? []
    this.compared += known.length
    if (known.some(other => isAlike(other, given) && hasSameWords(other.words, words))) return true
    known.push(given)
    this.#known.set(bucket, known)
    return false
  }
}

/** Returns the same for all texts that may have nearly the same words as a text with these. */
function bucketOf(words: ReadonlySet<string>): string {
  return words.size > FEW_WORDS ? '' : [...words].sort().join(' ')
}

function countsOf(text: string): Uint16Array {
  const counts = new Uint16Array(GROUPS)
  let before = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    counts[(before * 37 + unit) & (GROUPS - 1)]!++
    before = unit
  }
  return counts
}

/** True if two texts may have the same words, because they have nearly the same pairs of characters. */
function isAlike(a: KnownText, b: KnownText): boolean {
  const longer = Math.max(a.text.length, b.text.length)
  if (Math.min(a.text.length, b.text.length) < SAME_PAIRS * longer) return false
  let common = 0
  for (let group = 0; group < GROUPS; group++) common += Math.min(a.counts[group]!, b.counts[group]!)
  return common >= SAME_PAIRS * longer
}

function hasSameWords(words: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  let common = 0
  for (const word of words) if (others.has(word)) common++
  return common >= SAME_WORDS * (words.size + others.size - common)
}
