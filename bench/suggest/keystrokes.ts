import { seededRandom } from '../apparatus/random.ts'

/** Letters of a title that somebody types before a suggestion is taken, or given up. */
const MOST_LETTERS = 16

/** What stands in the box after each key, while so many of the titles are typed. Titles are drawn; empty ones never are. */
export function typedBeginnings(titles: readonly string[], drawn: number, seed: number): string[] {
  const named = titles.filter(title => title.trim() !== '')
  if (named.length === 0) return []
  const random = seededRandom(seed)
  return Array.from({ length: drawn }, () =>
    [...named[random.below(named.length)]!.trim()].slice(0, MOST_LETTERS),
  ).flatMap(letters => letters.map((_, last) => letters.slice(0, last + 1).join('')))
}
