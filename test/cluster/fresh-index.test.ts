import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ObservationInput, SearchOptions } from '../../core/index.ts'
import { expectFreshAnswers } from '../core/fresh-answers.ts'
import { anyPlace, momentIn, playInto, START_AT, script, withoutFirstUrl } from '../core/history-script.ts'
import { histories, seed } from '../histories.ts'
import { expectEqualAnswer, openPair, type Pair } from './pair.ts'
import { openTestCluster, servers } from './test-cluster.ts'

/** The questions in both rankings. */
function inBoth(...queries: string[]): { query: string; options: SearchOptions }[] {
  return queries.flatMap(query => (['pro', 'realtime'] as const).map(mode => ({ query, options: { mode } })))
}

/** Expects that the cluster answers as of instants as the local engine does, and as an index of what stood then. */
async function expectAsFresh(pair: Pair, instants: readonly number[], asked: ReturnType<typeof inBoth>): Promise<void> {
  for (const instant of instants) {
    for (const { query, options } of asked) await expectEqualAnswer(pair, query, { ...options, queryTime: instant })
    expect(await expectFreshAnswers(pair.cluster, instant, { asked })).toBe(asked.length)
  }
}

describe.skipIf(!servers)(`what stood in a cluster at T (seed ${seed})`, () => {
  it('answers as of T, scores and all, as an index on one machine that was built of what stood at T', async () => {
    let equal = 0
    await fc.assert(
      fc.asyncProperty(
        script,
        fc.array(anyPlace, { minLength: 1, maxLength: 2 }),
        fc.boolean(),
        async (steps, places, isPurged) => {
          let clock = 0
          const cluster = await openTestCluster({ now: () => clock })
          try {
            await playInto(cluster, steps, at => {
              clock = at
            })
            if (isPurged) await cluster.purge(withoutFirstUrl(steps).victim)
            for (const place of places) equal += await expectFreshAnswers(cluster, momentIn(steps, place))
          } finally {
            await cluster.close()
          }
        },
      ),
      { seed, numRuns: histories },
    )
    expect(equal).toBeGreaterThan(0)
  })

  it('ranks by the pages that stood, however often one of them changed, also in history that was declared late', async () => {
    const pair = await openPair(2)
    const both = [pair.cluster, pair.local]
    const counter = (n: number): ObservationInput => ({
      url: 'https://a.example/counter',
      title: 'Visitors',
      text: `The counter of the harbor says ${n} visitors`,
      acquiredAt: START_AT + 10 * n,
    })
    const pages = ['a lamp in the harbor', 'visitors of the lighthouse', 'counter and chair', 'a chair'].map(
      (text, n): ObservationInput => ({ url: `https://b.example/${n}`, text, acquiredAt: START_AT + n }),
    )
    const asked = inBoth('visitors counter', 'harbor lamp', 'says chair', 'countre', 'visit*')
    const instants = [3, 55, 1_203, 1_990].map(after => START_AT + after)
    try {
      pair.setClock(START_AT + 5_000)
      // The counter was read every 20 ms.
      const versions = Array.from({ length: 100 }, (_, n) => counter(2 * n))
      for (const engine of both) expect((await engine.add([...pages, ...versions])).failures).toEqual([])
      await expectAsFresh(pair, instants, asked)
      expect((await pair.cluster.search('counter', { queryTime: instants.at(-1) })).receipt.captures).toBe(5)
      // What was read between is declared later, and a removal of another page.
      const late = [1, 5, 119, 121].map(counter)
      for (const engine of both) {
        expect((await engine.add(late)).failures).toEqual([])
        await engine.remove('https://b.example/2', { at: START_AT + 700 })
      }
      await expectAsFresh(pair, instants, asked)
      expect((await pair.cluster.search('counter', { queryTime: instants.at(-1) })).receipt.captures).toBe(4)
      for (const engine of both) await engine.purge('https://b.example/1')
      await expectAsFresh(pair, instants, asked)
    } finally {
      await pair.close()
    }
  })

  it('decides the language and the spelling of queries by pages that stand, not by those that did', async () => {
    const pair = await openPair(1)
    const { cluster, local } = pair
    const page = (after: number, name: string, text: string): ObservationInput => ({
      url: `https://a.example/${name}`,
      text,
      acquiredAt: START_AT + after,
    })
    const german = 'Die Straßenbahnen der Stadt fahren am Abend zu den Haltestellen, und alle Leute warten dort'
    const history = [
      page(0, 'plain', 'A page about the harbor and its ships'),
      page(10, 'tram', german),
      page(20, 'tram', 'The trams of the town run to the stops in the evening, and everybody waits there'),
      page(30, 'tram', `${german} immer`),
      page(10, 'word', 'The lighthouse of the harbor'),
      page(20, 'word', 'The beacon of the harbor'),
      page(30, 'word', 'The lighthouse is open again'),
    ]
    const asked = inBoth('Straßenbahn Haltestelle', 'Strassenbahn', 'lighthuose', 'light house', 'beacno harbor')
    try {
      pair.setClock(START_AT + 100)
      for (const engine of [cluster, local]) expect((await engine.add(history)).failures).toEqual([])
      // What a server learned as of one instant must not be taken for true as of another one.
      for (const after of [35, 25, 15, 5, 25, 35]) await expectAsFresh(pair, [START_AT + after], asked)
      const found = async (query: string, after: number) => {
        const { results, explain } = await cluster.search(query, { explain: true, queryTime: START_AT + after })
        return [explain?.language, results.map(({ url }) => url.split('/').at(-1))]
      }
      expect(await found('Straßenbahn Haltestelle', 15)).toEqual(['de', ['tram']])
      expect((await found('Straßenbahn Haltestelle', 25))[0]).not.toBe('de')
      expect(await found('Straßenbahn Haltestelle', 35)).toEqual(['de', ['tram']])
      expect((await found('lighthuose', 15))[1]).toEqual(['word'])
      expect((await found('lighthuose', 25))[1]).toEqual([])
      expect((await found('lighthuose', 35))[1]).toEqual(['word'])
    } finally {
      await pair.close()
    }
  })
})
