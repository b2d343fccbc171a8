import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FeedbackStore } from '../../../service/feedback/feedback-store.ts'
import { all, submissionOf } from './temporary-store.ts'

const a = 'https://a.example/'
const b = 'https://b.example/'
const day = 24 * 60 * 60 * 1000

/** What every store of feedback does. @param create - opens a new, empty store. */
export function feedbackContract(
  where: string,
  create: () => Promise<{ store: FeedbackStore; remove(): Promise<void> }>,
): void {
  describe(`feedback ${where}`, () => {
    let store: FeedbackStore
    let remove: () => Promise<void>
    beforeEach(async () => {
      ;({ store, remove } = await create())
    })
    afterEach(() => remove())

    /** Returns the current judgments as `[at, { url: score }]`. */
    async function current(): Promise<[number, Record<string, number>][]> {
      const found = await all(store.current())
      return found.map(({ at, judgments }) => [at, Object.fromEntries(judgments.map(({ url, score }) => [url, score]))])
    }

    it('keeps every character of a submission', async () => {
      const given = { ...submissionOf('ti\u0000des \ud800 "', 1, { [a]: 3 }), text: "it's \u0000 good" }
      await store.record(given, [])
      const [{ sequence, ...kept } = { sequence: -1 }] = await all(store.current())
      expect(kept).toEqual(given)
      expect(sequence).toBeGreaterThanOrEqual(0)
    })

    it('replaces an earlier judgment of the same organization, query and URL, and no other', async () => {
      await store.record(submissionOf('tides', 1, { [a]: 3, [b]: 2 }), [])
      await store.record(submissionOf('ships', 2, { [a]: 4 }), [])
      await store.record(submissionOf('tides', 3, { [a]: 5 }, 'org_b'), [])
      await store.record(submissionOf('tides', 4, { [a]: 1 }), [])
      expect(await current()).toEqual([
        [1, { [b]: 2 }],
        [2, { [a]: 4 }],
        [3, { [a]: 5 }],
        [4, { [a]: 1 }],
      ])
    })

    it('keeps all judgments without a query, since they may be about different queries', async () => {
      const { query: _, ...bare } = submissionOf('tides', 1, { [a]: 3 })
      await store.record(bare, [])
      await store.record({ ...bare, at: 2 }, [])
      expect(await current()).toEqual([
        [1, { [a]: 3 }],
        [2, { [a]: 3 }],
      ])
    })

    it('lists a page for fetching again only once, and not within a day after it was fetched', async () => {
      const report = (at: number) => store.record(submissionOf('tides', at, { [a]: 0 }), [a, a])
      expect(await report(1)).toEqual({ refetches: 1 })
      await report(2)
      expect(await store.refetches(10)).toEqual([a])
      await store.settleRefetches([a], 3)
      expect(await store.refetches(10)).toEqual([])
      expect(await report(2 + day)).toEqual({ refetches: 0 })
      expect(await store.refetches(10)).toEqual([])
      expect(await report(3 + day)).toEqual({ refetches: 1 })
    })

    it('yields all of more submissions than it reads at a time, in the order of their arrival', async () => {
      for (let at = 1; at <= 1_100; at += 100)
        await Promise.all(
          Array.from({ length: 100 }, (_, i) => store.record(submissionOf(`q${at + i}`, at, { [a]: 3 }), [])),
        )
      const sequences = (await all(store.current())).map(({ sequence }) => sequence)
      expect(sequences).toHaveLength(1_100)
      expect(sequences).toEqual(sequences.toSorted((x, y) => x - y))
    })
  })
}
