import { seededRandom } from '../apparatus/random.ts'

/** Number of characters that a user types before accepting a suggestion or giving up. */
const MAX_LETTERS = 16

/** Returns the text in the search box after each key, while a number of randomly drawn titles are typed. Empty titles are skipped. */
export function typedBeginnings(titles: readonly string[], drawn: number, seed: number): string[] {
  const named = titles.filter(title => title.trim() !== '')
  if (named.length === 0) return []
  const random = seededRandom(seed)
  return Array.from({ length: drawn }, () =>
    [...named[random.below(named.length)]!.trim()].slice(0, MAX_LETTERS),
  ).flatMap(letters => letters.map((_, last) => letters.slice(0, last + 1).join('')))
}
