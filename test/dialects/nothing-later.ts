import { expect } from 'vitest'
import { instants, queries, randomNumbers, type Version } from './corpus.ts'
import { type Carrier, isFull, type World } from './world.ts'

/** A result of a search. */
export interface Shown {
  url: unknown
  /** Returns true if the result shows this version of the page. */
  shows: (version: Version) => boolean
}

/** Returns true if a text is that of a version: the first line of each version names the page and the version. */
export function isTextOf({ content }: Version, text: string | null | undefined): boolean {
  return content !== undefined && (text ?? '').includes(content.text.split('\n', 1)[0]!)
}

/** Number of random calls by each carrier. */
export const RANDOM_CALLS = isFull ? 1_000 : 20

/** Makes random searches, and expects that each result shows the version of its page that stood at the instant. */
export async function expectNothingLater(
  world: World,
  carrier: Carrier,
  search: (query: string, at: string, random: (below: number) => number) => Promise<Shown[]>,
): Promise<void> {
  const random = randomNumbers(RANDOM_CALLS + carrier.length)
  let shown = 0
  const leaks: unknown[] = []
  for (let i = 0; i < RANDOM_CALLS; i += 1) {
    const at = instants[random(instants.length)]!
    const query = queries[random(queries.length)]!
    const standing = new Map<unknown, Version>(world.standing(at).map(version => [version.url, version]))
    for (const { url, shows } of await search(query, at, random)) {
      shown += 1
      const version = standing.get(url)
      if (version === undefined || !shows(version)) leaks.push({ at, query, url })
    }
  }
  expect(leaks).toEqual([])
  expect(shown).toBeGreaterThan(RANDOM_CALLS)
}
