import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Engine, SearchOptions } from '../../core/index.ts'
import {
  aliases,
  allDeclared,
  answers as answersWith,
  anyPlace,
  momentIn,
  oneByOne,
  play,
  questions,
  randomMerges,
  START_AT,
  type Step,
  script,
  upTo,
  withoutFirstUrl,
  withoutLosers,
} from './history-script.ts'

/** The unit suite checks a few histories, with another seed each time. The system suite checks many more. */
const histories = Number(process.env.ASOF_TEST_HISTORIES ?? 10)
const seed = Number(process.env.ASOF_TEST_SEED ?? Date.now() % 2 ** 31)

const answers = (engine: Engine, extra: SearchOptions) =>
  answersWith(engine, extra, ['captures', 'declared', 'undated'])

/** Returns every page, by its URL and its aliases, without the time at which it was superseded: that is after the instant. */
async function pages(steps: readonly Step[], engine: Engine, queryTime: number | undefined): Promise<unknown[]> {
  const urls = new Set(steps.flatMap(step => (step.kind === 'add' ? step.captures.map(({ url }) => url) : [step.url])))
  return Promise.all(
    [...urls, ...aliases].map(async url => {
      const page = await engine.page(url, queryTime === undefined ? {} : { queryTime })
      if (!page) return undefined
      const { supersededAt = Number.POSITIVE_INFINITY, ...rest } = page
      expect(supersededAt).toBeGreaterThan(queryTime ?? Number.NEGATIVE_INFINITY)
      return rest
    }),
  )
}

describe(`time travel (seed ${seed})`, () => {
  it('answers as of T exactly as an index that only ever received the captures acquired through T', async () => {
    await fc.assert(
      fc.asyncProperty(
        script,
        fc.integer(),
        fc.array(anyPlace, { minLength: 1, maxLength: 3 }),
        async (steps, merges, places) => {
          const whole = await play(steps, randomMerges(merges))
          try {
            for (const place of places) {
              const instant = momentIn(steps, place)
              // The index of the past never merges, so that a merge that changes an answer of the other index is found.
              const past = await play(upTo(steps, instant))
              try {
                expect(await answers(whole.engine, { queryTime: instant })).toEqual(await answers(past.engine, {}))
                expect(await pages(steps, whole.engine, instant)).toEqual(await pages(steps, past.engine, undefined))
              } finally {
                await past.close()
              }
            }
          } finally {
            await whole.close()
          }
        },
      ),
      { numRuns: histories, seed },
    )
  }, 600_000)

  it('gives the same answers for any batches and merges', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.integer(), async (steps, merges) => {
        const [batched, apart] = [await play(steps), await play(oneByOne(steps), randomMerges(merges))]
        try {
          expect(await answers(apart.engine, {})).toEqual(await answers(batched.engine, {}))
        } finally {
          await batched.close()
          await apart.close()
        }
      }),
      { numRuns: Math.ceil(histories / 5), seed },
    )
  })

  it('answers as if observations that lost their millisecond had never been', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.integer(), anyPlace, async (steps, merges, place) => {
        const declared = allDeclared(steps)
        const [whole, winners] = [await play(declared, randomMerges(merges)), await play(withoutLosers(declared))]
        try {
          const queryTime = momentIn(steps, place)
          expect(await answers(whole.engine, { queryTime })).toEqual(await answers(winners.engine, { queryTime }))
          for (const instant of [undefined, queryTime])
            expect(await pages(steps, whole.engine, instant)).toEqual(await pages(steps, winners.engine, instant))
          const [all, kept] = [await whole.engine.stats(), await winners.engine.stats()].map(
            ({ captures, urls, oldest, newest }) => ({ captures, urls, oldest, newest }),
          )
          expect(all).toEqual(kept)
          expect(await whole.engine.export({ maxResults: 1000 })).toEqual(
            await winners.engine.export({ maxResults: 1000 }),
          )
        } finally {
          await whole.close()
          await winners.close()
        }
      }),
      { numRuns: Math.ceil(histories * 2.5), seed },
    )
  }, 600_000)

  it('gives the same answers on search threads as on the main thread', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.integer(), anyPlace, async (steps, merges, place) => {
        const [here, there] = [await play(steps, randomMerges(merges)), await play(steps, randomMerges(merges), 2)]
        try {
          for (const extra of [{}, { queryTime: momentIn(steps, place) }]) {
            const asked = questions.map(({ query, options }) => ({ query, options: { ...options, ...extra } }))
            const all = async (engine: Engine) => {
              const answers = await Promise.all(asked.map(({ query, options }) => engine.search(query, options)))
              // A merge may be complete in one of the indexes and not in the other.
              return answers.map(answer => ({ ...answer, receipt: { ...answer.receipt, segments: 0 } }))
            }
            expect(await all(there.engine)).toEqual(await all(here.engine))
          }
        } finally {
          await here.close()
          await there.close()
        }
      }),
      { numRuns: Math.ceil(histories / 5), seed },
    )
  })

  it('leaves no trace of a purged page at any instant, not even in statistics, before and after the next merge', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.integer(), anyPlace, async (steps, merges, place) => {
        const { victim, without } = withoutFirstUrl(steps)
        const [purged, never] = [await play(steps, randomMerges(merges)), await play(without)]
        try {
          await purged.engine.purge(victim)
          for (const extra of [{}, { queryTime: momentIn(steps, place) }])
            expect(await answers(purged.engine, extra)).toEqual(await answers(never.engine, extra))
          expect(await purged.engine.page(victim)).toBeUndefined()
        } finally {
          await purged.close()
          await never.close()
        }
      }),
      { numRuns: Math.ceil(histories / 5), seed },
    )
  })

  it('works with a clock before 1970', async () => {
    const { engine, close } = await play([
      {
        kind: 'add',
        at: -50_000,
        captures: [{ url: 'https://example.com/1', body: 'time', acquiredAt: undefined, said: 0, form: 0 }],
      },
      { kind: 'remove', at: -40_000, url: 'https://example.com/1' },
    ])
    try {
      expect(await engine.page('https://example.com/1', { queryTime: -45_000 })).toMatchObject({ acquiredAt: -50_000 })
      expect(await engine.page('https://example.com/1', { queryTime: -40_000 })).toBeUndefined()
    } finally {
      await close()
    }
  })

  it('never gives a new capture an instant that was already answered for', async () => {
    const { engine, close } = await play([
      {
        kind: 'add',
        at: START_AT + 10,
        captures: [{ url: 'https://example.com/1', body: 'time', acquiredAt: undefined, said: 0, form: 0 }],
      },
    ])
    try {
      const before = await engine.search('time')
      await engine.add([{ url: 'https://example.com/2', text: 'time' }])
      const again = await engine.search('time', { queryTime: before.receipt.instant })
      expect(again.results).toEqual(before.results)
      expect((await engine.search('time')).results).toHaveLength(2)
    } finally {
      await close()
    }
  })
})
