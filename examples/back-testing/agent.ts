import type { SearchAnswer } from '@asof/core'

const DAY_MS = 86_400_000
/** The agent ignores reports that are older. */
const MEMORY_MS = 14 * DAY_MS

/** Searches what the agent may read. */
export type Search = (query: string) => Promise<SearchAnswer>

/** 1 buys the shares of a company for a week, -1 sells them short, 0 does neither. */
export type Position = 1 | 0 | -1

/**
 * Decides about one company on a Monday. It knows nothing of time travel: it searches, reads the best three results and believes them.
 *
 * @param now - the Monday, epoch ms.
 */
export async function decide(search: Search, company: string, now: number): Promise<Position> {
  const { results } = await search(`${company} fault recall order`)
  let mood = 0
  for (const { title, snippet, publishedAt } of results.slice(0, 3)) {
    if (!title.startsWith(company) || publishedAt === undefined || publishedAt < now - MEMORY_MS) continue
    const text = snippet.text
    mood += 3 * (count(text, /rose|order was won/g) - count(text, /fell|recall/g))
    mood += count(text, /found no fault/g) - count(text, /found a fault/g)
  }
  return mood > 0 ? 1 : mood < 0 ? -1 : 0
}

function count(text: string, words: RegExp): number {
  return text.match(words)?.length ?? 0
}
