import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Engine, isAsofError } from '../../core/index.ts'
import {
  aliases,
  anyPlace,
  momentIn,
  play,
  questions,
  randomMerges,
  START_AT,
  type Step,
  script,
  upTo,
} from './history-script.ts'

const histories = Number(process.env.ASOF_TEST_HISTORIES ?? 10)
const seed = Number(process.env.ASOF_TEST_SEED ?? Date.now() % 2 ** 31)

/** Returns the result of a call, or what its caller learns from the error. */
async function outcome(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    if (!isAsofError(error)) throw error
    const { code, message, details } = error
    return { code, message, details }
  }
}

/** Reads all parts of a list. */
async function parts<P extends { next?: string }>(read: (after?: string) => Promise<P>): Promise<P[]> {
  const all: P[] = []
  for (let after: string | undefined, part: P; ; after = part.next) {
    part = await read(after)
    all.push(part)
    if (part.next === undefined) return all
  }
}

/** Asks for all that an engine can tell. `earlier` is an instant before the last one that the engine may know. */
async function everything(engine: Engine, steps: readonly Step[], earlier: number, late: number): Promise<unknown[]> {
  const urls = [
    ...new Set(steps.flatMap(step => (step.kind === 'add' ? step.captures.map(({ url }) => url) : [step.url]))),
    ...aliases,
    'https://unknown.example/',
  ]
  const told: unknown[] = []
  const tell = async (what: string, call: () => Promise<unknown>) => told.push([what, await outcome(call)])
  const times = [undefined, earlier, late, late + 1e12, '1d', 'soon']
  for (const { query, options } of questions)
    for (const extra of [{}, { queryTime: earlier }, { publishedAfter: '1h' }])
      await tell(query, async () => {
        const answer = await engine.search(query, { ...options, ...extra })
        // The number of segments is a matter of merges.
        return { ...answer, receipt: { ...answer.receipt, segments: 0 } }
      })
  for (const queryTime of times) {
    await tell('search', async () => (await engine.search('time', { queryTime })).results)
    await tell('check', () => engine.check('time', { queryTime }))
    await tell('relevance', () => engine.relevance({ queryTime }))
    for (const text of ['t', 'exa', 'sto', '']) await tell('suggest', () => engine.suggest(text, { queryTime }))
    for (const url of urls) {
      await tell(`page ${url}`, () => engine.page(url, { queryTime, supersededAt: true }))
      await tell(`history ${url}`, () => parts(after => engine.history(url, { queryTime, maxResults: 2, after })))
      await tell(`verify ${url}`, () => engine.verify({ url, quote: 'light search of the engine', queryTime }))
    }
  }
  for (const url of urls) await tell(`timeline ${url}`, () => engine.timeline(url))
  await tell('export', () => parts(after => engine.export({ maxResults: 3, after })))
  await tell('histogram', () => engine.captureHistogram({ maxBins: 20 }))
  await tell('stats', async () => {
    const { captures, urls, oldest, newest } = await engine.stats()
    return { captures, urls, oldest, newest }
  })
  return told
}

describe(`a sealed engine (seed ${seed})`, () => {
  it('tells the same as an engine that has no later observation and a clock that stands at the seal', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.integer(), anyPlace, fc.nat(), async (steps, merges, place, back) => {
        const instant = momentIn(steps, place)
        const earlier = START_AT + (back % (instant - START_AT + 1))
        const late = instant + 120_000
        const whole = await play(steps, randomMerges(merges))
        const past = await play(upTo(steps, instant), undefined, 0, { endAt: instant })
        try {
          await whole.engine.setRelevance({ synonyms: [{ words: ['time'], also: ['river'] }] })
          const told = await everything(whole.engine.sealed(instant), steps, earlier, late)
          expect(told).toEqual(await everything(past.engine, steps, earlier, late))
          const twice = whole.engine.sealed(Math.min(late, START_AT + 10_000)).sealed(instant)
          expect(await everything(twice, steps, earlier, late)).toEqual(told)
        } finally {
          await whole.close()
          await past.close()
        }
      }),
      { numRuns: histories, seed },
    )
  }, 600_000)

  it('answers the same on search threads', async () => {
    const steps: Step[] = [1, 2, 3].map(place => ({
      kind: 'add',
      at: START_AT + 10 * place,
      captures: [{ url: `https://a.example.com/${place}`, body: 'time', acquiredAt: undefined, said: 0, form: 0 }],
    }))
    const { engine, close } = await play(steps, undefined, 1)
    try {
      const sealed = engine.sealed(START_AT + 20)
      const answers = await Promise.all([sealed.search('time'), engine.search('time'), sealed.search('time')])
      expect(answers.map(({ results }) => results.length)).toEqual([2, 3, 2])
      expect(answers[0].receipt.instant).toBe(START_AT + 20)
    } finally {
      await close()
    }
  })

  it('refuses to write and to copy, and stays as it is when it is closed', async () => {
    const { engine, close } = await play([])
    const sealed = engine.sealed(START_AT)
    const url = 'https://a.example.com/1'
    try {
      for (const call of [
        () => sealed.add([{ url, text: 'time' }]),
        () => sealed.setRelevance({}),
        () => sealed.markSeen(url),
        () => sealed.remove(url),
        () => sealed.purge(url),
        () => sealed.removeAll({ urls: [url] }),
        () => sealed.purgeAll({ urls: [url] }),
        () => sealed.embed(),
        () => sealed.backup('/nowhere'),
      ])
        await expect(call()).rejects.toMatchObject({ code: 'ASOF_SEALED', statusCode: 403 })
      await sealed.close()
      await expect(sealed.search('time')).resolves.toMatchObject({ results: [] })
    } finally {
      await close()
    }
    await expect(sealed.search('time')).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
  })

  it('is not sealed at an instant in the future, or at one after its own seal', async () => {
    const { engine, close } = await play([], undefined, 0, { endAt: START_AT })
    try {
      for (const seal of [
        () => engine.sealed(START_AT + 1),
        () => engine.sealed('soon'),
        () => engine.sealed(START_AT - 10).sealed(START_AT - 9),
      ])
        expect(seal).toThrow(
          expect.objectContaining({ code: 'ASOF_INVALID_TIME', details: expect.objectContaining({ field: 'at' }) }),
        )
    } finally {
      await close()
    }
  })
})
