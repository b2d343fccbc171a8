import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { CaptureInput, Embedder, Engine, SearchAnswer } from '../../core/index.ts'
import { casesOf } from '../cases.ts'
import { anyPlace, momentIn, playInto, questions, START_AT, script, withoutFirstUrl } from '../core/history-script.ts'
import { conceptEmbedder, conceptVector } from '../core/models/concept-embedder.ts'
import { histories, seed } from '../histories.ts'
import { asked, expectEqualAnswer, openPair, type Pair } from './pair.ts'
import { randomNumbers } from './random-numbers.ts'
import { newName, openTestCluster, servers } from './test-cluster.ts'

/** Number of questions after all changes: some of each kind of filter, for both servers. */
const LAST_QUESTIONS = Math.max(20, casesOf(100))

const words = ['car', 'automobile', 'dog', 'hound', 'doctor', 'physician', 'river', 'stone', 'light', 'shelf', 'lamp']

function pages(count: number, below: (end: number) => number): CaptureInput[] {
  const text = (length: number): string => Array.from({ length }, () => words[below(words.length)]!).join(' ')
  return Array.from({ length: count }, (_, n) => ({
    url: `https://h${below(9)}.example/${below(count)}`,
    title: text(2),
    text: `${text(3 + below(12))} ${n}`,
    publishedAt: START_AT + below(count),
    fields: { color: ['red', 'blue'][below(2)]! },
  }))
}

const plain = (answer: SearchAnswer): string[] => answer.results.map(({ url }) => url)

describe.skipIf(!servers)(`a cluster and an engine on one machine with an embeddings model (seed ${seed})`, () => {
  it('answer alike as of every instant, also when they are sealed, and after a purge', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(script, fc.array(anyPlace, { minLength: 1, maxLength: 2 }), async (steps, places) => {
        const pair = await openPair(2, {}, { embed: conceptEmbedder() })
        const { cluster, local } = pair
        try {
          for (const engine of [cluster, local]) await playInto(engine, steps, pair.setClock)
          const expectEqual = async (): Promise<void> => {
            for (const queryTime of places.map(place => momentIn(steps, place))) {
              for (const { query, options } of questions)
                await expectEqualAnswer(pair, query, { ...options, queryTime })
              const sealed = { cluster: cluster.sealed(queryTime), local: local.sealed(queryTime) }
              await expectEqualAnswer(sealed, 'time travel stone', {})
              expect(await sealed.cluster.stats()).toEqual(await sealed.local.stats())
              const { receipt } = await cluster.search('time travel stone', { queryTime })
              if (receipt.profile === 'pro-meaning') compared++
            }
            expect((await cluster.stats()).vectors).toBe((await local.stats()).vectors)
          }
          await expectEqual()
          const { victim } = withoutFirstUrl(steps)
          expect(await cluster.purge(victim)).toBe(await local.purge(victim))
          await expectEqual()
        } finally {
          await pair.close()
        }
      }),
      { seed, numRuns: Math.ceil(histories / 2) },
    )
    console.log(`${asked.equal} answers were equal; refused:`, Object.fromEntries(asked.refused))
    expect(compared).toBeGreaterThan(0)
  })

  it('find the same nearest pages among many, with every filter and as of any instant', async () => {
    const below = randomNumbers(seed)
    const name = newName()
    let now = START_AT
    const pair = await openPair(2, { name }, { embed: conceptEmbedder() })
    // Another server, which learns of all changes from the database.
    const other = await openTestCluster({ name, now: () => now, embed: conceptEmbedder() })
    const { cluster, local } = pair
    const setClock = (at: number): void => {
      now = at
      pair.setClock(at)
    }
    const ask = async (questions: number, latest: number): Promise<void> => {
      for (let question = 0; question < questions; question++) {
        const query = Array.from({ length: 1 + below(3) }, () => words[below(words.length)]!).join(' ')
        const filters = [
          {},
          { site: `h${below(9)}.example` },
          { filter: { color: 'red' } },
          { publishedAfter: START_AT + below(400) },
          { acquiredAfter: START_AT + below(latest) },
        ]
        const options = { queryTime: START_AT + below(latest), maxResults: 1 + below(60), ...filters[question % 5]! }
        const asking = question % 2 === 0 ? pair : { cluster: other, local }
        await expectEqualAnswer(asking, question % 3 === 2 ? `${query} -${words[below(words.length)]}` : query, options)
      }
    }
    try {
      asked.refused.clear()
      for (let at = 0; at < 400; at += 100) {
        const captures = pages(240, below)
        for (const engine of [cluster, local]) {
          setClock(START_AT + at)
          expect((await engine.add(captures)).failures).toEqual([])
        }
        setClock(START_AT + at + 50)
        await ask(15, at + 50)
      }
      const declared = pages(30, below).map(page => ({ ...page, acquiredAt: START_AT + 120 }))
      for (const engine of [cluster, local]) {
        expect((await engine.add(declared)).failures).toEqual([])
        await engine.remove(declared[0]!.url, { at: START_AT + 200 })
        await engine.purge(declared[1]!.url)
        await engine.purgeAll({ prefix: 'https://h3.example/' })
      }
      await ask(LAST_QUESTIONS, 400)
      expect((await cluster.stats()).vectors).toBe((await local.stats()).vectors)
      // No page has the word, but some have words that mean the same.
      const { results, receipt } = await cluster.search('vehicle')
      expect(receipt.vectors?.model).toBe('concepts-1')
      expect(results.length).toBeGreaterThan(0)
      expect((await cluster.search('vehicle', { models: false })).results).toEqual([])
      expect(asked.refused.size).toBe(0)
      expect(cluster.proofs.uncertain + other.proofs.uncertain).toBe(0)
    } finally {
      await other.close()
      await pair.close()
    }
  })

  it('delete expired captures with their vectors, and answer alike afterwards', async () => {
    const below = randomNumbers(seed)
    const pair = await openPair(1, {}, { embed: conceptEmbedder() })
    const { setClock } = pair
    try {
      for (let at = 0; at < 300; at += 100)
        for (const engine of [pair.cluster, pair.local]) {
          setClock(START_AT + at)
          await engine.add(pages(40, randomNumbers(seed + at)))
        }
      await pair.reopen({ embed: conceptEmbedder(), retain: 150 })
      setClock(START_AT + 400)
      // A write ends with the deletion of what has expired.
      for (const engine of [pair.cluster, pair.local]) await engine.add(pages(5, randomNumbers(seed + 1)))
      const state = async (engine: Engine) => {
        const { captures, vectors } = await engine.stats()
        return { captures, vectors, dropped: (await engine.search('vehicle')).receipt.dropped }
      }
      // Each of the two deletes in the background.
      await vi.waitFor(async () => {
        const [ofCluster, ofLocal] = [await state(pair.cluster), await state(pair.local)]
        expect(ofLocal.dropped).toBeGreaterThan(0)
        expect(ofCluster).toEqual(ofLocal)
      }, 60_000)
      for (let question = 0; question < 20; question++)
        await expectEqualAnswer(pair, `${words[below(words.length)]} ${words[below(words.length)]}`, {
          queryTime: START_AT + 250 + below(150),
        })
    } finally {
      await pair.close()
    }
  })

  it('compute missing vectors alike, count them as late, and ask no model again for what is unchanged', async () => {
    const captures = pages(60, randomNumbers(seed))
    const pair = await openPair(1)
    const models = { cluster: conceptEmbedder(), local: conceptEmbedder() }
    const of = (which: 'cluster' | 'local'): Engine => pair[which]
    try {
      pair.setClock(START_AT)
      for (const which of ['cluster', 'local'] as const) await of(which).add(captures)
      await expect(pair.cluster.embed()).rejects.toMatchObject({ code: 'ASOF_INVALID_OPTION' })
      // One model for both: it is deterministic, and counts the calls.
      await pair.reopen({ embed: models.cluster })
      await expectEqualAnswer(pair, 'automobile', {})
      expect(await pair.cluster.embed()).toEqual(await pair.local.embed())
      await expectEqualAnswer(pair, 'automobile', {})
      const { receipt } = await pair.cluster.search('automobile')
      expect(receipt.vectors?.late).toBe((await pair.cluster.stats()).vectors)
      expect(await pair.cluster.embed()).toEqual(await pair.local.embed())
      const before = models.cluster.asked.length
      pair.setClock(START_AT + 10)
      for (const which of ['cluster', 'local'] as const) {
        const last = captures.at(-1)!
        await of(which).add([last])
        await of(which).remove(last.url)
        await of(which).add([last])
      }
      expect(models.cluster.asked.length).toBe(before)
      expect((await pair.cluster.stats()).vectors).toBe((await pair.local.stats()).vectors)
      await expectEqualAnswer(pair, 'automobile', {})
    } finally {
      await pair.close()
    }
  })

  it('give a capture that was seen unchanged its vector when a declared capture comes between', async () => {
    const pair = await openPair(1, {}, { embed: conceptEmbedder() })
    const url = 'https://example.org/river'
    const river = { url, title: 'River', text: 'a river and a stone' }
    try {
      for (const engine of [pair.cluster, pair.local]) {
        for (const at of [10, 30]) {
          pair.setClock(START_AT + at)
          await engine.add([river])
        }
        pair.setClock(START_AT + 40)
        await engine.add([{ url, title: 'Dog', text: 'a dog', acquiredAt: START_AT + 20 }])
        expect(await engine.stats()).toMatchObject({ captures: 3, vectors: 3 })
      }
      for (const at of [10, 20, 30]) await expectEqualAnswer(pair, 'hound lamp', { queryTime: START_AT + at })
    } finally {
      await pair.close()
    }
  })

  it('keep captures if the model fails, and warn alike', async () => {
    const pair = await openPair(1)
    const failing = conceptEmbedder()
    try {
      pair.setClock(START_AT)
      await pair.reopen({ embed: failing })
      failing.failure = new Error('out of order')
      for (const engine of [pair.cluster, pair.local]) {
        const { added, failures } = await engine.add(pages(5, randomNumbers(seed)))
        expect([added > 0, failures]).toEqual([true, []])
      }
      expect((await pair.cluster.stats()).vectors).toBe(0)
      await expectEqualAnswer(pair, 'automobile river', {})
      const { warning } = await pair.cluster.search('automobile river')
      expect(warning).toContain('answered without vectors: the embeddings model failed: out of order')
    } finally {
      await pair.close()
    }
  })

  it('use the vectors of one model only, and refuse other dimensions of the same model', async () => {
    const pair = await openPair(1, {}, { embed: conceptEmbedder('one') })
    const captures = pages(40, randomNumbers(seed))
    const expectEqual = async ({ cluster, local }: Pair): Promise<void> => {
      await expectEqualAnswer({ cluster, local }, 'automobile river', {})
      expect((await cluster.stats()).vectors).toBe((await local.stats()).vectors)
    }
    try {
      pair.setClock(START_AT)
      for (const engine of [pair.cluster, pair.local]) await engine.add(captures)
      await expectEqual(pair)
      await pair.reopen({ embed: conceptEmbedder('other', 16) })
      await expectEqual(pair)
      for (const engine of [pair.cluster, pair.local]) await engine.embed()
      await expectEqual(pair)
      await pair.reopen({ embed: conceptEmbedder('one', 16) })
      await expectEqual(pair)
      const { warning } = await pair.cluster.search('automobile river')
      expect(warning).toContain('give the model another identity')
      for (const engine of [pair.cluster, pair.local]) await engine.purge(captures[0]!.url)
      await pair.reopen({ embed: conceptEmbedder('one') })
      await expectEqual(pair)
    } finally {
      await pair.close()
    }
  })

  it('compare only pages and queries in the languages of the model', async () => {
    const english: Embedder = {
      model: 'english',
      languages: ['en'],
      embed: async texts => texts.map(text => conceptVector(text)),
    }
    const pair = await openPair(1, {}, { embed: english })
    try {
      pair.setClock(START_AT)
      const captures = [
        ...pages(20, randomNumbers(seed)),
        { url: 'https://de.example/', text: 'Der Fluss ist ein Strom und die Steine liegen in dem Wasser', lang: 'de' },
        { url: 'https://ja.example/', text: '東京都の川と石' },
      ]
      for (const engine of [pair.cluster, pair.local]) await engine.add(captures)
      for (const query of ['automobile', 'der Fluss und die Steine', '東京', 'river'])
        for (const options of [{}, { language: 'de' }, { language: 'en' }])
          await expectEqualAnswer(pair, query, options)
      expect(plain(await pair.cluster.search('automobile'))).not.toEqual([])
      expect((await pair.cluster.stats()).vectors).toBe((await pair.local.stats()).vectors)
    } finally {
      await pair.close()
    }
  })
})
