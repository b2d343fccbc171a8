import { describe, expect, it } from 'vitest'
import type { Relevance, SearchOptions } from '../../core/index.ts'
import { casesOf } from '../cases.ts'
import { START_AT } from '../core/history-script.ts'
import { seed } from '../histories.ts'
import { asked, expectEqualAnswer, openPair } from './pair.ts'
import { randomNumbers } from './random-numbers.ts'
import { newName, openTestCluster, servers } from './test-cluster.ts'

const pages = 900
const QUESTIONS = Math.max(20, casesOf(150))

/** Versions of the relevance, one for each third of the history. */
const versions: Relevance[] = [
  { weights: { title: 20 }, stopWords: ['word1'] },
  {
    synonyms: [['word3', 'word40'], { words: ['word5'], also: ['word200 word2', 'word9'] }],
    rules: [
      { boost: [{ filter: { color: 'red' }, factor: 6 }] },
      {
        when: 'word2',
        pin: [
          { url: 'https://example.com/7', position: 2 },
          { url: 'https://alias.example/3', position: 1 },
          { url: 'https://example.com/nowhere', position: 3 },
        ],
      },
      { when: 'word3', boost: [{ filter: { price: { lt: 3 } }, factor: 0.2 }] },
    ],
  },
  { weights: { title: 0.5 }, rules: [{ boost: [{ filter: { missing: 'x' }, factor: 2 }] }] },
]

describe.skipIf(!servers)(`the relevance of a cluster and of an engine on one machine (seed ${seed})`, () => {
  it('ranks alike as of every instant, with the weights of queries and without', { timeout: 300_000 }, async () => {
    const pair = await openPair(2)
    const { cluster, local } = pair
    const below = randomNumbers(seed)
    const word = (): string => `word${Math.floor(Math.exp(below(1000) * 0.0065))}`
    const textOf = (length: number): string => Array.from({ length }, word).join(' ')
    try {
      for (const [v, relevance] of versions.entries()) {
        const third = pages / versions.length
        const captures = Array.from({ length: third }, (_, i) => ({
          url: `https://example.com/${below(pages)}`,
          title: textOf(1 + below(6)),
          text: textOf(1 + below(200)),
          fields: { color: below(12) === 0 ? 'red' : 'blue', price: below(9) },
          aliases: below(50) === 0 ? [`https://alias.example/${below(5)}`] : undefined,
          acquiredAt: START_AT + v * third + i,
        }))
        pair.setClock(START_AT + (v + 1) * third)
        for (const engine of [cluster, local]) {
          expect((await engine.add(captures)).failures).toEqual([])
          expect(await engine.setRelevance(relevance)).toBe(START_AT + (v + 1) * third)
          // Setting it again does nothing.
          expect(await engine.setRelevance(relevance)).toBe(START_AT + (v + 1) * third)
        }
      }
      pair.setClock(START_AT + pages + 1)
      const before = asked.equal
      for (let question = 0; question < QUESTIONS; question++) {
        const words = Array.from({ length: 1 + below(4) }, word)
        const query = question % 4 === 3 ? `"${words.slice(0, 2).join(' ')}" word2` : words.join(' ')
        const options: SearchOptions = {
          queryTime: START_AT + below(pages + 1),
          maxResults: [1, 3, 10, 40][question % 4]!,
          weights: question % 3 === 0 ? { title: [0, 2, 7, 100][below(4)]! } : undefined,
          filter: question % 5 === 0 ? { color: 'red' } : undefined,
        }
        for (const mode of ['realtime', 'pro'] as const) await expectEqualAnswer(pair, query, { ...options, mode })
      }
      console.log(
        `${asked.equal - before} of ${2 * QUESTIONS} answers were equal; proofs: ${JSON.stringify(cluster.proofs)}`,
      )
      expect(asked.equal - before).toBeGreaterThan((2 * QUESTIONS * 11) / 12)
      for (const queryTime of [START_AT, START_AT + 300, START_AT + 700, undefined]) {
        expect(await cluster.relevance({ queryTime })).toEqual(await local.relevance({ queryTime }))
        const at = queryTime ?? START_AT + 650
        expect(await cluster.sealed(at).relevance()).toEqual(await local.sealed(at).relevance())
      }
    } finally {
      await pair.close()
    }
  })

  it('is seen by all servers at once', async () => {
    const name = newName()
    const [first, second] = await Promise.all([openTestCluster({ name }), openTestCluster({ name })])
    try {
      await first.add([{ url: 'https://example.com/a', text: 'a red vixen' }])
      expect((await second.search('fox', { mode: 'realtime' })).results).toEqual([])
      const since = await first.setRelevance({ synonyms: [['fox', 'vixen']] })
      const { results, receipt } = await second.search('fox', { mode: 'realtime' })
      expect(results).toHaveLength(1)
      expect(receipt.relevanceSince).toBe(since)
    } finally {
      await Promise.all([first.close(), second.close()])
    }
  })

  it('refuses weights of keywords, of the index and of a query', async () => {
    const cluster = await openTestCluster()
    try {
      const refused = { code: 'ASOF_UNSUPPORTED', details: { what: 'weights of keywords' } }
      await cluster.add([{ url: 'https://example.com/a', text: 'a red vixen', fields: { color: 'red' } }])
      const weights = { fields: { color: 2 } }
      await expect(cluster.setRelevance({ weights })).rejects.toMatchObject(refused)
      await expect(cluster.search('red', { weights, mode: 'realtime' })).rejects.toMatchObject(refused)
    } finally {
      await cluster.close()
    }
  })
})
