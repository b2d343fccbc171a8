const MAX_WORDS = 200_000

/**
 * Returns the share of a page's words that a new version adds or drops: 0 for the same words, 1 for no common word.
 * Ignores the order of words, case, punctuation and link targets.
 */
export function changeShare(before: string, after: string): number {
  const counts = new Map<string, number>()
  const old = pageWordsOf(before)
  const fresh = pageWordsOf(after)
  for (const word of old) counts.set(word, (counts.get(word) ?? 0) + 1)
  let common = 0
  for (const word of fresh) {
    const left = counts.get(word) ?? 0
    if (left === 0) continue
    counts.set(word, left - 1)
    common++
  }
  const total = old.length + fresh.length - common
  return total === 0 ? 0 : 1 - common / total
}

/** Returns the words of a page in lower case, without link targets, at most 200,000. */
export function pageWordsOf(markdown: string): string[] {
  const text = markdown.replace(/\]\([^()\s]{0,2048}\)/g, ']').toLowerCase()
  return (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).slice(0, MAX_WORDS)
}
