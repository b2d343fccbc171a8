import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Embedder, Reads } from '../../core/index.ts'
import { histories, seed } from '../histories.ts'
import {
  allDeclared,
  anyPlace,
  momentIn,
  oneByOne,
  play,
  questions,
  randomMerges,
  START_AT,
  script,
  upTo,
  withoutFirstUrl,
  withoutLosers,
} from './history-script.ts'
import { conceptEmbedder } from './models/concept-embedder.ts'
import {
  expectAgreeingVersions,
  observe,
  observedUrls,
  observers,
  outcome,
  pageUrls,
  sealedObservers,
} from './observers.ts'

const { answers, ...withoutAnswers } = { ...observers, ...sealedObservers }
const synonyms = { synonyms: [{ words: ['time'], also: ['river'] }] }

/** Asks with times that mean something else on an engine whose clock stands earlier, and with one that no engine understands. */
async function relativeAnswers(engine: Reads, urls: readonly string[], times: readonly (number | string)[]) {
  const told: unknown[] = []
  for (const queryTime of times) {
    const { relevance, pages, superseded, suggestions } = withoutAnswers
    told.push(await observe({ relevance, pages, superseded, suggestions }, engine, urls, queryTime))
    told.push(await outcome(() => engine.check('time', { queryTime })))
    told.push(await outcome(async () => (await engine.search('time', { queryTime })).results))
  }
  told.push((await engine.search('time light', { publishedAfter: '1h' })).results)
  return told
}

const anyRun = fc.record({
  steps: script,
  merges: fc.integer(),
  places: fc.array(anyPlace, { minLength: 1, maxLength: 2 }),
  back: fc.nat(),
  partSize: fc.integer({ min: 1, max: 4 }),
})
type Run = typeof anyRun extends fc.Arbitrary<infer R> ? R : never

/** Plays a history, and every history that it must agree with, and asks all of them for everything. */
async function expectTimeTravel({ steps, merges, places, back, partSize }: Run, embed?: Embedder): Promise<void> {
  const urls = observedUrls(steps)
  const { victim, without } = withoutFirstUrl(steps)
  const whole = await play(steps, { mergePolicy: randomMerges(merges), embed })
  const apart = await play(oneByOne(steps), { mergePolicy: randomMerges(merges + 1), embed })
  const never = await play(without, { embed })
  try {
    for (const { engine } of [whole, apart, never]) await engine.setRelevance(synonyms)
    // Other batches and merges.
    expect(await observe(observers, apart.engine, urls)).toEqual(await observe(observers, whole.engine, urls))
    await expectAgreeingVersions(apart.engine, pageUrls(steps), partSize)

    const instants = places.map(place => momentIn(steps, place))
    for (const instant of instants) {
      // The index of the past never merges, so that a merge that changes an answer of the other index is found.
      const past = await play(upTo(steps, instant), { endAt: instant, embed })
      try {
        const expected = await observe(observers, past.engine, urls)
        expect(await observe(observers, whole.engine, urls, instant)).toEqual(expected)

        const sealed = whole.engine.sealed(instant)
        expect(await observe(observers, sealed, urls)).toEqual(expected)
        const more = await observe(sealedObservers, past.engine, urls)
        expect(await observe(sealedObservers, sealed, urls)).toEqual(more)
        const earlier = START_AT + (back % (instant - START_AT + 1))
        const late = instant + 120_000
        const times = [earlier, late, late + 1e12, '1d', 'soon']
        const relative = await relativeAnswers(past.engine, urls, times)
        expect(await relativeAnswers(sealed, urls, times)).toEqual(relative)
        const twice = whole.engine.sealed(Math.min(late, START_AT + 10_000)).sealed(instant)
        expect(await observe(sealedObservers, twice, urls)).toEqual(more)
        expect(await relativeAnswers(twice, urls, times)).toEqual(relative)
      } finally {
        await past.close()
      }
    }

    // A purge leaves no trace at any instant, before and after the next merge.
    await whole.engine.purge(victim)
    for (const queryTime of [undefined, instants[0]])
      expect(await observe({ answers }, whole.engine, urls, queryTime)).toEqual(
        await observe({ answers }, never.engine, urls, queryTime),
      )
    expect(await whole.engine.page(victim)).toBeUndefined()
    expect((await whole.engine.stats()).vectors).toBe((await never.engine.stats()).vectors)
  } finally {
    for (const { close } of [whole, apart, never]) await close()
  }
}

describe(`time travel (seed ${seed})`, () => {
  it.each([
    ['', undefined, histories],
    [', with vectors', conceptEmbedder(), Math.ceil(histories / 2)],
  ])(
    'answers as of T, and sealed at T, exactly as an index that only ever received what was acquired through T%s',
    async (_, embed, numRuns) => {
      await fc.assert(
        fc.asyncProperty(anyRun, run => expectTimeTravel(run, embed)),
        { numRuns, seed },
      )
    },
  )

  it('answers as if observations that lost their millisecond had never been', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.integer(), anyPlace, async (steps, merges, place) => {
        const urls = observedUrls(steps)
        const declared = allDeclared(steps)
        const whole = await play(declared, { mergePolicy: randomMerges(merges) })
        const winners = await play(withoutLosers(declared))
        try {
          const { answers, pages } = observers
          const { stats, exports } = sealedObservers
          for (const queryTime of [undefined, momentIn(steps, place)])
            expect(await observe({ answers, pages }, whole.engine, urls, queryTime)).toEqual(
              await observe({ answers, pages }, winners.engine, urls, queryTime),
            )
          expect(await observe({ stats, exports }, whole.engine, urls)).toEqual(
            await observe({ stats, exports }, winners.engine, urls),
          )
        } finally {
          await whole.close()
          await winners.close()
        }
      }),
      { numRuns: histories, seed },
    )
  })

  it.each([
    ['', undefined],
    [', with vectors', conceptEmbedder()],
  ])('gives the same answers on search threads as on the calling thread%s', async (_, embed) => {
    await fc.assert(
      fc.asyncProperty(script, fc.integer(), anyPlace, async (steps, merges, place) => {
        const here = await play(steps, { mergePolicy: randomMerges(merges), embed })
        const there = await play(steps, { mergePolicy: randomMerges(merges), embed, searchThreads: 2 })
        try {
          for (const queryTime of [undefined, momentIn(steps, place)]) {
            const all = (engine: Reads) =>
              Promise.all(
                questions.map(({ query, options }) =>
                  outcome(async () => {
                    const { receipt, ...answer } = await engine.search(query, { ...options, queryTime })
                    // A merge may be complete in one of the indexes and not in the other.
                    return { ...answer, receipt: { ...receipt, segments: 0 } }
                  }),
                ),
              )
            expect(await all(there.engine)).toEqual(await all(here.engine))
          }
        } finally {
          await here.close()
          await there.close()
        }
      }),
      { numRuns: Math.ceil(histories / 8), seed },
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
