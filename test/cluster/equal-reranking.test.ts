import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, open, type Reranker, type SearchAnswer } from '../../core/index.ts'
import { anyPlace, momentIn, playInto, questions, START_AT, script, withoutFirstUrl } from '../core/history-script.ts'
import { histories, seed } from '../histories.ts'
import { asked, expectEqualAnswer, openPair, type Pair } from './pair.ts'
import { openTestCluster, servers } from './test-cluster.ts'

let calls = 0
/** What the model does instead of answering. Undefined: it answers. */
let instead: (() => Promise<number[]>) | undefined

/** A reranker whose scores depend on each character of the query and the text. */
const hashes: Reranker = {
  model: 'hashes-1',
  rerank: async (query, texts) => {
    calls++
    if (instead) return instead()
    return texts.map(text => hash('sha256', `${query}\n${text}`, 'buffer').readUInt32BE() / 2 ** 32)
  },
}

/** Pages of which more match than a reranker reads, a few of them on one host. */
const pages = Array.from({ length: 60 }, (_, n) => ({
  url: `https://${n % 3 === 0 ? 'one' : `h${n}`}.example/${n}`,
  title: `river ${n}`,
  text: `${'stone '.repeat(1 + ((n * 7) % 40))}light ${n}`,
}))

const anyway = (engine: Engine, query: string): Promise<SearchAnswer | Error> =>
  engine.search(query).catch((error: Error) => error)

describe.skipIf(!servers)(`a cluster and an engine on one machine with a reranking model (seed ${seed})`, () => {
  it('answer alike as of every instant, also when they are sealed, and after a purge', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.array(anyPlace, { minLength: 1, maxLength: 2 }), async (steps, places) => {
        const pair = await openPair(2, {}, { rerank: hashes })
        const { cluster, local } = pair
        try {
          for (const engine of [cluster, local]) await playInto(engine, steps, pair.setClock)
          const expectEqual = async (): Promise<void> => {
            for (const queryTime of places.map(place => momentIn(steps, place))) {
              for (const { query, options } of questions)
                await expectEqualAnswer(pair, query, { ...options, queryTime, explain: false })
              const sealed = { cluster: cluster.sealed(queryTime), local: local.sealed(queryTime) }
              await expectEqualAnswer(sealed, 'time travel stone', {})
            }
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
    expect(asked.equal).toBeGreaterThan(0)
  })

  describe('over more pages than the model reads', () => {
    let pair: Pair
    beforeAll(async () => {
      pair = await openPair(2, {}, { rerank: hashes })
      pair.setClock(START_AT)
      for (const engine of [pair.cluster, pair.local]) expect((await engine.add(pages)).failures).toEqual([])
    })
    afterAll(() => pair.close())
    beforeEach(() => {
      calls = 0
      instead = undefined
      asked.refused.clear()
    })

    it.each([
      { maxResults: 3 },
      { maxResults: 60 },
      { maxResults: 5, site: 'one.example' },
      { maxResults: 10, offset: 20 },
      { maxResults: 10, offset: 30 },
      { maxResults: 4, facets: ['acquiredAt:day'] },
      { maxResults: 30, language: 'de' },
    ])('order the first results alike with %j', async options => {
      const answer = await pair.cluster.search('river "stone" -sea', options)
      if ((options.offset ?? 0) < 25) expect(answer.receipt.reranker).toBe('hashes-1')
      await expectEqualAnswer(pair, 'river "stone" -sea', options)
      expect(asked.refused.size).toBe(0)
    })

    it('explain the part of the model alike', async () => {
      const explained = ({ explain }: SearchAnswer) => explain?.scores
      const options = { explain: true, maxResults: 7 }
      const scores = explained(await pair.cluster.search('river stone', options))
      expect(scores).toEqual(explained(await pair.local.search('river stone', options)))
      expect(scores?.flat().some(part => 'signal' in part && part.signal === 'reranker')).toBe(true)
    })

    it('do not call the model for realtime, for webql, or if models are not wanted', async () => {
      for (const options of [{ mode: 'realtime' as const }, { mode: 'webql' as const }, { models: false }])
        await expectEqualAnswer(pair, 'river stone', options)
      expect(calls).toBe(0)
    })

    it.each([
      ['fails', () => Promise.reject(new Error('out of order')), 'out of order'],
      ['returns too few numbers', async () => [1], 'finite numbers'],
      ['does not answer in time', () => new Promise<never>(() => {}), 'did not answer within 3 s'],
    ])('leave the order if the model %s, with one warning', async (_, failing, reason) => {
      const { results } = await pair.cluster.search('river', { models: false })
      // A failure pauses the model of an engine, so each case has its own.
      await pair.reopen({ rerank: hashes })
      instead = failing
      const [answer, expected] = await Promise.all([pair.cluster.search('river'), pair.local.search('river')])
      expect(answer.warning).toContain(reason)
      expect(answer.warning).toBe(expected.warning)
      expect(answer.results).toEqual(results)
      expect(answer.results).toEqual(expected.results)
      expect(answer.receipt.reranker).toBeUndefined()
      await pair.reopen({ rerank: hashes })
    })

    it('reject searches that wait for the model when they are closed', async () => {
      let begun = 0
      const { promise: bothBegan, resolve } = Promise.withResolvers<void>()
      instead = () => {
        begun++
        if (begun === 2) resolve()
        return new Promise<never>(() => {})
      }
      const answers = [anyway(pair.cluster, 'river'), anyway(pair.local, 'river')]
      await bothBegan
      await pair.reopen({ rerank: hashes })
      for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ code: 'ASOF_CLOSED' })
    })
  })

  it('refuse the same models', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'asof-models-'))
    try {
      for (const rerank of [{ ...hashes, model: '' }, { model: 'no-function' } as Reranker]) {
        const refusal = (opened: Promise<Engine>): Promise<unknown> =>
          opened.then(
            () => undefined,
            ({ code, message }: Error & { code?: string }) => ({ code, message }),
          )
        const expected = await refusal(open(folder, { rerank }))
        expect(expected).toMatchObject({ code: 'ASOF_INVALID_OPTION' })
        expect(await refusal(openTestCluster({ rerank }))).toEqual(expected)
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
