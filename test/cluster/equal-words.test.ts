import postgres from 'postgres'
import { describe, expect, it } from 'vitest'
import { type Engine, isAsofError, type SearchOptions } from '../../core/index.ts'
import { START_AT } from '../core/history-script.ts'
import { seed } from '../histories.ts'
import { expectEqualAnswer, openPair } from './pair.ts'
import { randomNumbers } from './random-numbers.ts'
import { newName, openTestCluster, servers } from './test-cluster.ts'

const syllables = ['ba', 'ne', 'tor', 'li', 'ka', 'mus', 'ri', 'so', 'den', 'val']

describe.skipIf(!servers)(`words that a query has only nearly (seed ${seed})`, () => {
  it('find the same pages in a cluster and on one machine, as of every instant', { timeout: 300_000 }, async () => {
    const pair = await openPair(2)
    const { cluster, local } = pair
    const below = randomNumbers(seed)
    const word = (): string => Array.from({ length: 2 + below(3) }, () => syllables[below(below(9) + 2)]!).join('')
    const textOf = (length: number): string => Array.from({ length }, word).join(' ')
    /** A word with one or two letters replaced, left out or swapped. */
    const misspelled = (text: string): string => {
      const at = 1 + below(text.length - 1)
      const kinds = [
        () => text.slice(0, at) + text.slice(at + 1),
        () => `${text.slice(0, at)}x${text.slice(at + 1)}`,
        () => `${text.slice(0, at)}${text[at + 1] ?? ''}${text[at]}${text.slice(at + 2)}`,
      ]
      return kinds[below(kinds.length)]!()
    }
    try {
      const pages = 300
      pair.setClock(START_AT + pages)
      const captures = Array.from({ length: pages }, (_, n) => ({
        url: `https://example.com/${below(pages)}`,
        title: textOf(3),
        text: textOf(1 + below(40)),
        author: textOf(2),
        acquiredAt: START_AT + ((n * 7) % pages),
      }))
      for (const engine of [cluster, local]) expect((await engine.add(captures)).failures).toEqual([])
      for (let question = 0; question < 30; question++) {
        const [first, second] = [word(), word()]
        const queryTime = START_AT + below(pages + 1)
        const plain: SearchOptions = { queryTime, mode: question % 2 === 0 ? 'realtime' : 'pro', maxResults: 5 }
        await expectEqualAnswer(pair, `${misspelled(misspelled(first))} ${second}xq`, plain)
        const typing: SearchOptions = { queryTime, mode: 'realtime', typing: true, maxResults: 5 }
        await expectEqualAnswer(pair, `${misspelled(first)} ${second.slice(0, 2 + below(4))}`, typing)
        const webql: SearchOptions = { queryTime, mode: 'webql', maxResults: 5 }
        await expectEqualAnswer(pair, `${first.slice(0, 3)}* AND NOT ${misspelled(second)}~`, webql)
        await expectEqualAnswer(pair, `author:${first.slice(0, 2)}* OR ${second.slice(0, 4)}*`, webql)
      }
      expect(cluster.proofs).toMatchObject({ proved: 120, uncertain: 0 })
    } finally {
      await pair.close()
    }
  })

  it('are too many as of the same instants', async () => {
    const pair = await openPair(1)
    const { cluster, local } = pair
    try {
      pair.setClock(START_AT + 100)
      const captures = Array.from({ length: 9 }, (_, n) => ({
        url: `https://example.com/${n}`,
        text: Array.from({ length: 500 }, (_, i) => `stock${n * 500 + i}`).join(' '),
        acquiredAt: START_AT + n,
      }))
      for (const engine of [cluster, local]) await engine.add(captures)
      const asked = (engine: Engine, queryTime: number): Promise<unknown> =>
        engine.search('stock*', { mode: 'webql', queryTime }).then(
          ({ results }) => results,
          (error: unknown) => isAsofError(error) && [error.code, error.message, error.details],
        )
      for (const n of [7, 8]) expect(await asked(cluster, START_AT + n)).toEqual(await asked(local, START_AT + n))
      expect(await asked(local, START_AT + 8)).toMatchObject(['ASOF_INVALID_QUERY', /more than 4096 words/, {}])
      await expectEqualAnswer(pair, 'stock', { mode: 'realtime', typing: true, queryTime: START_AT + 8 })
      // The words of superseded captures count, too.
      const short = { url: 'https://example.com/8', text: 'stock8 market', acquiredAt: START_AT + 9 }
      for (const engine of [cluster, local]) await engine.add([short])
      expect(await asked(cluster, START_AT + 9)).toEqual(await asked(local, START_AT + 8))
      expect(await asked(local, START_AT + 9)).toEqual(await asked(local, START_AT + 8))
      await expectEqualAnswer(pair, 'stock', { mode: 'realtime', typing: true, queryTime: START_AT + 9 })
      // A purged page has no words.
      for (const engine of [cluster, local]) await engine.purge('https://example.com/3')
      expect(await asked(cluster, START_AT + 8)).toEqual(await asked(local, START_AT + 8))
    } finally {
      await pair.close()
    }
  })

  it('are forgotten with the last page that has them, also by a server that remembers them', async () => {
    const name = newName()
    const [first, second] = await Promise.all([openTestCluster({ name }), openTestCluster({ name })])
    const sql = postgres(servers!.database, { onnotice: () => {} })
    const known = async (): Promise<string[]> => {
      const rows = await sql<{ term: Buffer }[]>`select term from ${sql(name)}.vocabulary`
      return rows.map(({ term }) => term.toString()).filter(term => /^(lantern|meadow)/.test(term))
    }
    try {
      await first.add([
        { url: 'https://example.com/a', text: 'lantern meadow' },
        { url: 'https://example.com/b', text: 'meadow' },
      ])
      expect((await known()).sort()).toEqual(['lantern', 'meadow'])
      await second.purge('https://example.com/a')
      expect(await known()).toEqual(['meadow'])
      expect((await first.search('lantrn', { mode: 'realtime' })).results).toEqual([])
      await first.add([{ url: 'https://example.com/c', text: 'lantern' }])
      const { results, warning } = await first.search('lantrn', { mode: 'realtime' })
      expect([results.length, warning]).toEqual([1, expect.stringContaining('lantern')])
    } finally {
      await sql.end()
      await Promise.all([first.close(), second.close()])
    }
  })
})
