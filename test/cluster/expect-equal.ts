import { expect } from 'vitest'
import { aliases, momentIn, playInto, questions, type Step, withoutFirstUrl } from '../core/history-script.ts'
import { expectEqualAnswer, exported, type Pair } from './pair.ts'

/** Expects that both answer alike as of an instant, and when they are sealed at it. */
async function expectEqual(pair: Pair, steps: readonly Step[], queryTime: number): Promise<void> {
  for (const { query, options } of questions) await expectEqualAnswer(pair, query, { ...options, queryTime })
  const { cluster, local } = pair
  const urls = new Set(steps.flatMap(step => (step.kind === 'add' ? step.captures.map(({ url }) => url) : [step.url])))
  for (const url of [...urls, ...aliases]) {
    expect(await cluster.page(url, { queryTime })).toEqual(await local.page(url, { queryTime }))
    expect(await cluster.history(url, { queryTime })).toEqual(await local.history(url, { queryTime }))
    const quote = { url, quote: 'time travel', queryTime }
    expect(await cluster.verify(quote)).toEqual(await local.verify(quote))
    await expectEqualAnswer(pair, url, { queryTime })
  }
  await expectEqualSealed(pair, [...urls], queryTime)
}

/**
 * Plays a history into both, and expects that they answer alike as of some places in it, also after a purge, and export the same.
 *
 * @param partSizes - numbers of pages in a part of an export.
 */
export async function expectEqualHistory(
  pair: Pair,
  { steps, places, partSizes }: { steps: readonly Step[]; places: readonly number[]; partSizes: readonly number[] },
): Promise<void> {
  const { cluster, local, setClock } = pair
  for (const engine of [cluster, local]) await playInto(engine, steps, setClock)
  const instants = places.map(place => momentIn(steps, place))
  for (const instant of instants) await expectEqual(pair, steps, instant)
  const { victim } = withoutFirstUrl(steps)
  expect(await cluster.purge(victim)).toBe(await local.purge(victim))
  for (const instant of instants) await expectEqual(pair, steps, instant)
  for (const size of partSizes) expect(await exported(cluster, size)).toEqual(await exported(local, size))
}

/** Expects that both answer alike when they are sealed at an instant, whatever came later. */
async function expectEqualSealed({ cluster, local }: Pair, urls: string[], at: number): Promise<void> {
  const [sealed, expected] = [cluster.sealed(at), local.sealed(at)]
  const early = at - 7
  await expectEqualAnswer({ cluster: sealed, local: expected }, 'time travel', {})
  for (const url of urls) {
    expect(await sealed.page(url)).toEqual(await expected.page(url))
    const options = { queryTime: early, supersededAt: true }
    expect(await sealed.page(url, options)).toEqual(await expected.page(url, options))
    expect(await sealed.history(url)).toEqual(await expected.history(url))
    expect(await sealed.timeline(url)).toEqual(await expected.timeline(url))
  }
  expect(await sealed.stats()).toEqual(await expected.stats())
  expect(await exported(sealed, 3)).toEqual(await exported(expected, 3))
  for (const text of ['ti', 'time tr', 'exam', 'b.ex'])
    expect(await sealed.suggest(text)).toEqual(await expected.suggest(text))
  for (const maxBins of [10, 400])
    expect(await sealed.captureHistogram({ maxBins })).toEqual(await expected.captureHistogram({ maxBins }))
}

/** Compares the figures of sealed engines. */
export async function expectEqualSealedStats({ cluster, local }: Pair, instants: readonly number[]): Promise<void> {
  for (const instant of instants) {
    const [{ captures, urls, oldest, newest }, stats] = await Promise.all([
      local.sealed(instant).stats(),
      cluster.sealed(instant).stats(),
    ])
    expect(stats).toMatchObject({ captures, urls, oldest, newest })
  }
}
