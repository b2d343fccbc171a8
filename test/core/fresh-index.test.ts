import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Engine, type Observation, open } from '../../core/index.ts'
import { histories, seed } from '../histories.ts'
import {
  anyPlace,
  momentIn,
  type Playback,
  play,
  questions,
  randomMerges,
  START_AT,
  type Step,
  script,
  withoutFirstUrl,
} from './history-script.ts'
import { conceptEmbedder } from './models/concept-embedder.ts'
import { parts, searchKnown } from './observers.ts'

function instantOf(observation: Observation): number {
  if ('acquiredAt' in observation) return Number(observation.acquiredAt)
  if ('seenAt' in observation) return Number(observation.seenAt)
  return Number('aliasedAt' in observation ? observation.aliasedAt : Number.NaN)
}

/** What an index must be given so that it holds the pages that stood at an instant, and nothing else. */
async function stoodAt(engine: Engine, instant: number): Promise<Observation[]> {
  const all = (await parts(cursor => engine.export({ cursor }))).flatMap(({ observations }) => observations)
  const since = new Map<string, number>()
  for (const url of new Set(all.map(observation => observation.url))) {
    const page = await engine.page(url, { queryTime: instant })
    // The page at an alias is that of another URL.
    if (page?.url === url) since.set(url, Number(page.acquiredAt))
  }
  return all.filter(observation => {
    const from = since.get(observation.url)
    if (from === undefined || 'removedAt' in observation) return false
    const at = instantOf(observation)
    return at <= instant && ('aliasedAt' in observation || at >= from)
  })
}

async function built(
  observations: readonly Observation[],
  embed: ReturnType<typeof conceptEmbedder> | undefined,
): Promise<Playback> {
  const fresh = await play([], { embed })
  if (observations.length > 0) expect((await fresh.engine.add(observations)).failures).toEqual([])
  return fresh
}

/** Expects that an index answers all questions as of an instant as one that was built of nothing but what stood then. */
async function expectFreshAnswers(engine: Engine, fresh: Engine, instant: number): Promise<void> {
  // Every capture up to the instant makes its fields known, so the fresh index may not know some.
  const known = (await fresh.fields({ queryTime: instant })).map(({ name }) => name)
  const lacking = ['color', 'price', 'seen', 'sold'].filter(name => !known.includes(name))
  for (const { query, options } of questions) {
    if (lacking.some(name => JSON.stringify([query, options]).includes(name))) continue
    const times = { queryTime: instant }
    const answer = await searchKnown(engine, query, { ...options, ...times })
    const expected = await searchKnown(fresh, query, { ...options, ...times })
    expect([query, options, answer && comparable(answer)]).toEqual([query, options, expected && comparable(expected)])
    if (answer?.next === undefined) continue
    const { offset: _, ...rest } = options
    const further = await engine.search(query, { ...rest, ...times, cursor: answer.next })
    const expectedFurther = await fresh.search(query, { ...rest, ...times, cursor: expected?.next })
    expect([query, options, comparable(further)]).toEqual([query, options, comparable(expectedFurther)])
  }
}

/** An answer with what the receipt says about the pages that stood. The rest of the receipt tells the history of the index. */
function comparable({
  next,
  receipt,
  warning,
  warnings,
  ...answer
}: NonNullable<Awaited<ReturnType<typeof searchKnown>>>) {
  const { captures, undated } = receipt
  return { ...answer, captures, undated, warnings: warnings?.map(({ code }) => code), hasNext: next !== undefined }
}

const anyRun = fc.record({
  steps: script,
  merges: fc.integer(),
  places: fc.array(anyPlace, { minLength: 1, maxLength: 3 }),
  isPurged: fc.boolean(),
})
type Run = typeof anyRun extends fc.Arbitrary<infer R> ? R : never

async function expectFresh(
  { steps, merges, places, isPurged }: Run,
  embed?: ReturnType<typeof conceptEmbedder>,
): Promise<void> {
  const { engine, close } = await play(steps as Step[], { mergePolicy: randomMerges(merges), embed })
  try {
    if (isPurged) await engine.purge(withoutFirstUrl(steps).victim)
    for (const place of places) {
      const instant = momentIn(steps, place)
      const fresh = await built(await stoodAt(engine, instant), embed)
      try {
        await expectFreshAnswers(engine, fresh.engine, instant)
      } finally {
        await fresh.close()
      }
    }
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
