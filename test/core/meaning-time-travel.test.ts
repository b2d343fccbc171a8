import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Engine, SearchOptions } from '../../core/index.ts'
import {
  answers as answersWith,
  anyPlace,
  momentIn,
  oneByOne,
  play,
  randomMerges,
  script,
  upTo,
  withoutFirstUrl,
} from './history-script.ts'
import { conceptEmbedder } from './models/concept-embedder.ts'

const histories = Math.ceil(Number(process.env.ASOF_TEST_HISTORIES ?? 10) / 4)
const seed = Number(process.env.ASOF_TEST_SEED ?? Date.now() % 2 ** 31)
const unmerged = (): number[] => []
const withModel = { embed: conceptEmbedder() }

const answers = (engine: Engine, extra: SearchOptions) => answersWith(engine, extra, ['captures', 'vectors'])

describe(`time travel with vectors (seed ${seed})`, () => {
  it('answers as of T exactly as an index that only ever received the captures acquired through T', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.integer(), anyPlace, async (steps, merges, place) => {
        const instant = momentIn(steps, place)
        const whole = await play(steps, randomMerges(merges), 0, withModel)
        const past = await play(upTo(steps, instant), unmerged, 0, withModel)
        try {
          expect(await answers(whole.engine, { queryTime: instant })).toEqual(await answers(past.engine, {}))
        } finally {
          await whole.close()
          await past.close()
        }
      }),
      { numRuns: histories, seed },
    )
  })

  it('gives the same answers for any batches and merges, and on search threads as on the main thread', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.integer(), async (steps, merges) => {
        const batched = await play(steps, unmerged, 0, withModel)
        const apart = await play(oneByOne(steps), randomMerges(merges), 2, withModel)
        try {
          expect(await answers(apart.engine, {})).toEqual(await answers(batched.engine, {}))
        } finally {
          await batched.close()
          await apart.close()
        }
      }),
      { numRuns: Math.ceil(histories / 3), seed },
    )
  })

  it('leaves no trace of a purged page at any instant', async () => {
    await fc.assert(
      fc.asyncProperty(script, anyPlace, async (steps, place) => {
        const { victim, without } = withoutFirstUrl(steps)
        const purged = await play(steps, unmerged, 0, withModel)
        const never = await play(without, unmerged, 0, withModel)
        try {
          await purged.engine.purge(victim)
          for (const extra of [{}, { queryTime: momentIn(steps, place) }])
            expect(await answers(purged.engine, extra)).toEqual(await answers(never.engine, extra))
          expect((await purged.engine.stats()).vectors).toBe((await never.engine.stats()).vectors)
        } finally {
          await purged.close()
          await never.close()
        }
      }),
      { numRuns: Math.ceil(histories / 3), seed },
    )
  })
})
