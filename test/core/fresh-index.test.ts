import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Embedder, type Engine, type MergePolicy, open } from '../../core/index.ts'
import { histories, seed } from '../histories.ts'
import { expectFreshAnswers } from './fresh-answers.ts'
import {
  anyPlace,
  momentIn,
  play,
  questions,
  randomMerges,
  START_AT,
  script,
  withoutFirstUrl,
} from './history-script.ts'
import { conceptEmbedder } from './models/concept-embedder.ts'
import { generator } from './random-segments.ts'

/** A number of pages from which on search threads take part. */
const LARGE = 1_000

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

  it('answers so on search threads, if words are in more captures than a block has, before and after merges', async () => {
    const random = generator(seed)
    const words = ['time', 'travel', 'search', 'engine', 'river', 'stone', 'light', 'running', 'node.js', 'the']
    const page = (number: number, round: number) => {
      const text = Array.from({ length: 12 }, () => words[Math.floor(random() ** 2 * words.length)]).join(' ')
      return {
        url: `https://${number % 2 === 0 ? 'a.example.com' : 'example.org'}/${number}`,
        text: `${text} ${round}`,
      }
    }
    const anyPage = () => page(Math.floor(random() * LARGE), 0)
    const mergePolicy: MergePolicy = segments => (segments.length > 4 ? segments.map(({ id }) => id) : [])
    const dir = await mkdtemp(join(tmpdir(), 'asof-fresh-'))
    let clock = START_AT
    const opened = () => open(dir, { now: () => clock, mergePolicy, searchThreads: 1 })
    let engine = await opened()
    try {
      for (let round = 0; round < 6; round++) {
        clock += 10
        const pages = Array.from({ length: LARGE }, (_, number) => number).filter(() => round === 0 || random() < 0.2)
        expect((await engine.add(pages.map(number => page(number, round)))).failures).toEqual([])
        await engine.remove(anyPage().url, { at: START_AT + Math.floor(random() * (clock - START_AT)) })
        // Closing rewrites segments with purged captures.
        if (round > 3) await engine.purge(anyPage().url)
        if (round === 3) {
          await engine.close()
          engine = await opened()
        }
        // Threads answer from the first search on that may take long.
        await engine.search('time', { sort: 'acquiredAt' })
        const instant = round % 2 === 0 ? clock : START_AT + Math.floor(random() * (clock + 5 - START_AT))
        await expectFreshAnswers(engine, instant, { asked: questions.filter((_, i) => i % 6 === round) })
      }
    } finally {
      await engine.close()
      await rm(dir, { recursive: true })
    }
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
