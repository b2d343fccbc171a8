import type { Engine } from '@asof/core'
import { decide, type Position, type Search } from './agent.ts'
import type { World } from './world.ts'

/** Gives an agent the past. @returns the search that the agent has at the instant `now`, epoch ms. */
export type PastOf = (engine: Engine, now: number) => Search

/** The index as it was: whatever the agent asks, nothing later is in it. */
export const sealed: PastOf = (engine, now) => {
  const past = engine.sealed(now)
  return query => past.search(query, { maxResults: 3 })
}

/** The index of today with a filter by publish date, as search engines without time travel offer it. */
export const publishedBefore: PastOf = (engine, now) => query =>
  engine.search(query, { maxResults: 3, publishedBefore: now })

/** The index of today without the pages that were read later: of each page the index of today has only the newest text. */
export const acquiredBefore: PastOf = (engine, now) => query =>
  engine.search(query, { maxResults: 3, acquiredBefore: now })

/** What an agent did over all weeks and companies, and what it had read. */
export interface Outcome {
  /** By company and Monday, in the order of the weeks. */
  positions: Position[]
  /** Number of positions that are not 0. */
  taken: number
  /** Number of these whose shares moved in their direction. */
  right: number
  /** Mean return of these in their week, and its standard error: 0.01 is 1 percent. */
  meanReturn: number
  standardError: number
  /** Number of results whose text the archive read only after the Monday of the search. */
  fromLater: number
  /** Addresses of the results of each search. */
  found: string[][]
}

/** Lets the agent decide about each company on each Monday. */
export async function backTest(engine: Engine, world: World, pastOf: PastOf): Promise<Outcome> {
  const positions: Position[] = []
  const found: string[][] = []
  const gains: number[] = []
  let fromLater = 0
  for (const now of world.mondays) {
    const search = pastOf(engine, now)
    for (const company of world.companies) {
      const position = await decide(
        async query => {
          const answer = await search(query)
          fromLater += answer.results.filter(({ acquiredAt }) => acquiredAt > now).length
          found.push(answer.results.map(({ url }) => url))
          return answer
        },
        company,
        now,
      )
      positions.push(position)
      if (position !== 0) gains.push(position * world.returnOf(company, now))
    }
  }
  const meanReturn = mean(gains)
  const variance = mean(gains.map(gain => (gain - meanReturn) ** 2))
  const right = gains.filter(gain => gain > 0).length
  return {
    positions,
    found,
    fromLater,
    right,
    meanReturn,
    standardError: Math.sqrt(variance / gains.length),
    taken: gains.length,
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
