import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { Encoder } from '../../../encoder/index.ts'
import { Fixture } from '../../encoder/fixture.ts'
import { histories, seed } from '../../histories.ts'
import { anyPlace, momentIn, play, questions, randomMerges, script } from '../history-script.ts'
import { comparable, searchKnown } from '../observers.ts'

/** A real model, tiny and with random weights. */
let embed: Encoder
beforeAll(async () => {
  embed = await Encoder.open({ path: new Fixture('bert').folder, maxTokens: 40 })
})
afterAll(() => embed.close())

/** Answers as of an instant, without the number of late vectors, which receipts tell openly. */
async function answersAsOf(engine: Engine, queryTime: number | undefined): Promise<unknown[]> {
  const all: unknown[] = []
  for (const { query, options } of questions) {
    const answer = await searchKnown(engine, query, { ...options, queryTime })
    if (answer?.receipt.vectors) answer.receipt.vectors.late = 0
    all.push([query, answer && comparable(answer)])
  }
  return all
}

describe(`vectors that are computed later (seed ${seed})`, () => {
  it('answer as of every T exactly as vectors that were computed before the commit', async () => {
    const anyRun = fc.record({ steps: script, merges: fc.tuple(fc.integer(), fc.integer()), place: anyPlace })
    await fc.assert(
      fc.asyncProperty(anyRun, async ({ steps, merges, place }) => {
        const now = await play(steps, { embed, mergePolicy: randomMerges(merges[0]) })
        const later = await play(steps, { embed, mergePolicy: randomMerges(merges[1]), vectors: 'later' })
        try {
          const { vectors } = await now.engine.stats()
          expect((await later.engine.stats()).vectors).toBe(0)
          // Stopped after its first captures, and run again.
          const stop = new AbortController()
          const first = await later.engine.embed({ signal: stop.signal, onProgress: () => stop.abort() })
          const rest = await later.engine.embed()
          expect(first.embedded + rest.embedded).toBe(vectors)
          expect((await later.engine.stats()).vectors).toBe(vectors)
          for (const instant of [undefined, momentIn(steps, place)])
            expect(await answersAsOf(later.engine, instant)).toEqual(await answersAsOf(now.engine, instant))
        } finally {
          await now.close()
          await later.close()
        }
      }),
      { numRuns: Math.ceil(histories / 4), seed },
    )
  })
})

describe('an index whose vectors are computed later', () => {
  const pages = Array.from({ length: 100 }, (_, i) => ({
    url: `https://example.com/${i}`,
    text: `page ${i} about the cat`,
  }))

  it('says in receipts how many captures have no vector yet, and how many got one late', async () => {
    const engine = await open(':memory:', { embed, searchThreads: 0 })
    const counts = async () => {
      const { captures, vectors } = (await engine.search('the cat')).receipt
      return [captures, vectors?.compared, vectors?.late]
    }
    await engine.add(pages.slice(0, 40))
    await engine.add(pages.slice(40), { vectors: 'later' })
    expect(await counts()).toEqual([100, 40, 0])
    const stop = new AbortController()
    const { embedded } = await engine.embed({ signal: stop.signal, onProgress: () => stop.abort() })
    expect(embedded).toBeGreaterThan(0)
    expect(embedded).toBeLessThan(60)
    expect(await counts()).toEqual([100, 40 + embedded, embedded])
    await engine.embed()
    expect(await counts()).toEqual([100, 100, 60])
    await engine.close()
  })

  it('counts each vector once if two calls compute the missing ones at the same time', async () => {
    const engine = await open(':memory:', { embed, searchThreads: 0 })
    await engine.add(pages, { vectors: 'later' })
    const reports = await Promise.all([engine.embed(), engine.embed()])
    expect(reports[0].embedded + reports[1].embedded).toBe(100)
    expect((await engine.stats()).vectors).toBe(100)
    await engine.close()
  })

  it('rejects another moment than now and later', async () => {
    const engine = await open(':memory:', { embed, searchThreads: 0 })
    const failure = { code: 'ASOF_INVALID_OPTION', details: { field: 'vectors' } }
    await expect(engine.add(pages, { vectors: 'soon' as 'later' })).rejects.toMatchObject(failure)
    expect((await engine.stats()).captures).toBe(0)
    await engine.close()
  })
})
