import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Embedder, type Engine, open } from '../../core/index.ts'
import { histories, seed } from '../histories.ts'
import { expectFreshAnswers } from './fresh-answers.ts'
import { anyPlace, momentIn, play, randomMerges, START_AT, script, withoutFirstUrl } from './history-script.ts'
import { conceptEmbedder } from './models/concept-embedder.ts'

const anyRun = fc.record({
  steps: script,
  merges: fc.integer(),
  places: fc.array(anyPlace, { minLength: 1, maxLength: 3 }),
  isPurged: fc.boolean(),
})
type Run = typeof anyRun extends fc.Arbitrary<infer R> ? R : never

async function expectFresh({ steps, merges, places, isPurged }: Run, embed?: Embedder): Promise<void> {
  const { engine, close } = await play(steps, { mergePolicy: randomMerges(merges), embed })
  try {
    if (isPurged) await engine.purge(withoutFirstUrl(steps).victim)
    for (const place of places)
      expect(await expectFreshAnswers(engine, momentIn(steps, place), { embed })).toBeGreaterThan(0)
  } finally {
    await close()
  }
}

describe(`what stood at T (seed ${seed})`, () => {
  it.each([
    ['', undefined, histories],
    [', with vectors', conceptEmbedder(), Math.ceil(histories / 2)],
  ])('answers as of T, scores and all, as an index built afresh of what stood at T%s', async (_, embed, numRuns) => {
    await fc.assert(
      fc.asyncProperty(anyRun, run => expectFresh(run, embed)),
      { numRuns, seed },
    )
  })

  it('ranks a page that was captured 300 times as if it had been captured once', async () => {
    let clock = START_AT
    const pages = [
      ...Array.from({ length: 3 }, (_, i) => ({ url: `https://alpha.example/${i}`, text: 'alpha report' })),
      ...Array.from({ length: 20 }, (_, i) => ({ url: `https://beta.example/${i}`, text: 'beta report' })),
      ...Array.from({ length: 177 }, (_, i) => ({ url: `https://other.example/${i}`, text: 'other report' })),
    ]
    const once = await open(':memory:', { now: () => clock, searchThreads: 0 })
    const often = await open(':memory:', { now: () => clock, searchThreads: 0 })
    await once.add([...pages.slice(1), { ...pages[0]!, text: 'alpha report 300' }])
    await often.add(pages)
    for (let counter = 1; counter <= 300; counter++) {
      clock += 1000
      await often.add([{ ...pages[0]!, text: `alpha report ${counter}` }])
    }
    for (const mode of ['realtime', 'pro'] as const) {
      const ranked = async (engine: Engine) =>
        (await engine.search('alpha beta', { mode, maxResults: 30 })).results
          .map(({ url, score }) => [url, score])
          .sort()
      expect(await ranked(often)).toEqual(await ranked(once))
      const { results } = await often.search('alpha beta', { mode, maxResults: 3 })
      expect(results.map(({ url }) => new URL(url).hostname)).toEqual(Array(3).fill('alpha.example'))
    }
    await once.close()
    await often.close()
  })
})
