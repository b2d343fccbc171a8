import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Engine, type MergePolicy, open, type SearchOptions } from '../../../core/index.ts'
import { histories, seed } from '../../histories.ts'
import {
  anyPlace,
  momentIn,
  play,
  questions,
  randomMerges,
  START_AT,
  type Step,
  script,
  withoutLosers,
} from '../history-script.ts'
import { searchKnown } from '../observers.ts'

const DAY_MS = 86_400_000

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-retention-'))
})
afterEach(() => rm(dir, { recursive: true }))

/** Resolves when retention has deleted `count` captures. It starts with a change of the index and takes a moment. */
async function dropped(engine: Engine, count: number): Promise<void> {
  const droppedSoFar = async () => (await engine.search('x')).receipt.dropped
  await expect.poll(droppedSoFar, { interval: 1 }).toBeGreaterThanOrEqual(count)
}

interface Seen {
  step: number
  place: number
  at: number
  /** Undefined: removed. */
  body: string | undefined
  endsAt: number
}

/** The observations of each URL, in order. An observation of unchanged content does not end the version before it. */
function observed(steps: readonly Step[]): Map<string, Seen[]> {
  const histories = new Map<string, Seen[]>()
  const see = (url: string, seen: Omit<Seen, 'endsAt'>): void => {
    const history = histories.get(url) ?? []
    histories.set(url, history)
    const before = history.at(-1)
    if (seen.body === undefined && before?.body === undefined) return
    if (before && before.body !== seen.body) {
      for (let i = history.length - 1; i >= 0 && history[i]!.endsAt === Number.POSITIVE_INFINITY; i--)
        history[i]!.endsAt = seen.at
    }
    history.push({ ...seen, endsAt: Number.POSITIVE_INFINITY })
  }
  steps.forEach((step, number) => {
    if (step.kind !== 'add') see(step.url, { step: number, place: 0, at: step.at, body: undefined })
    else
      step.captures.forEach(({ url, body, lost }, place) => {
        if (!lost) see(url, { step: number, place, at: step.at, body })
      })
  })
  return histories
}

/** True if an observation is a capture: content that differs from what was there before. */
const isCapture = (history: Seen[], i: number): boolean =>
  history[i]!.body !== undefined && history[i]!.body !== history[i - 1]?.body

/** Returns the steps without those whose captures retention deletes, and the number of deleted captures. */
function retained(steps: readonly Step[], cutoff: number): { left: Step[]; gone: number } {
  let gone = 0
  const leaving = new Set<string>()
  for (const history of observed(steps).values()) {
    const first = history.findIndex((seen, i) => isCapture(history, i) && seen.endsAt >= cutoff)
    const end = first < 0 ? history.length : first
    history.slice(0, end).forEach((seen, i) => {
      leaving.add(`${seen.step}/${seen.place}`)
      if (isCapture(history, i)) gone++
    })
    // A page that was removed recently or never had content has no history.
    if (first < 0 && history.some(seen => seen.endsAt >= cutoff && seen.body !== undefined))
      throw new Error('unreachable')
  }
  const left = steps.flatMap((step, number): Step[] => {
    if (step.kind !== 'add') return leaving.has(`${number}/0`) ? [] : [step]
    const captures = step.captures.filter((_, place) => !leaving.has(`${number}/${place}`))
    return captures.length > 0 ? [{ ...step, captures }] : []
  })
  return { left, gone }
}

async function answers(engine: Engine, extra: SearchOptions): Promise<unknown[]> {
  const all: unknown[] = []
  for (const { query, options } of questions) {
    const answer = await searchKnown(engine, query, { ...options, ...extra })
    const { captures, undated } = answer?.receipt ?? {}
    all.push({ query, results: answer?.results, captures, undated })
  }
  return all
}

/** The script with every capture stamped by the engine. */
const stamped = script.map(steps =>
  steps.flatMap((step): Step[] => {
    if (step.kind === 'remove') return [{ kind: step.kind, at: step.at, url: step.url }]
    if (step.kind === 'seen') return []
    return [{ ...step, captures: step.captures.map(capture => ({ ...capture, acquiredAt: undefined })) }]
  }),
)

/** Days of a page that changes every day. */
async function addDays(engine: Engine, setClock: (at: number) => void, days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    setClock(START_AT + day * DAY_MS)
    await engine.add([
      { url: 'https://example.com/daily', text: `weather report of day${day} wordofday${day}z` },
      { url: 'https://example.com/steady', text: 'this page says always the same' },
    ])
  }
}

describe(`retention (seed ${seed})`, () => {
  it('leaves the same index as if only the remaining captures had ever been added', async () => {
    await fc.assert(
      fc.asyncProperty(
        stamped,
        fc.integer(),
        fc.integer({ min: 0, max: 120 }),
        fc.array(anyPlace, { minLength: 1, maxLength: 3 }),
        async (steps, merges, retain, places) => {
          const moments = places.map(place => ({ queryTime: momentIn(steps, place) }))
          const now = START_AT + 150
          const { left, gone } = retained(withoutLosers(steps), now - retain)
          const [kept, model] = [
            await play(steps, { mergePolicy: randomMerges(merges), retain, endAt: now }),
            await play(left, { endAt: now }),
          ]
          try {
            // A separate step: retention looks for captures to delete only after a change.
            await kept.engine.remove('https://nowhere.example/')
            await dropped(kept.engine, gone)
            for (const extra of [{}, ...moments])
              expect(await answers(kept.engine, extra)).toEqual(await answers(model.engine, extra))
            for (const url of observed(steps).keys())
              for (const query of [{}, moments[0]])
                expect(await kept.engine.page(url, query)).toEqual(await model.engine.page(url, query))
            const { receipt } = await kept.engine.search('x')
            expect(receipt.dropped).toBe(gone)
            expect(receipt.retainedSince === undefined).toBe(gone === 0)
            expect(receipt.retainedSince ?? 0).toBeLessThan(now - retain)
            const { captures, urls, oldest, newest } = await kept.engine.stats()
            expect({ captures, urls, oldest, newest }).toEqual(
              (({ captures, urls, oldest, newest }) => ({ captures, urls, oldest, newest }))(
                await model.engine.stats(),
              ),
            )
          } finally {
            await kept.close()
            await model.close()
          }
        },
      ),
      { numRuns: histories, seed },
    )
  })

  it('changes no answer as of retainedSince and later, scores included, for stamped captures', async () => {
    await fc.assert(
      fc.asyncProperty(stamped, fc.integer(), fc.integer({ min: 0, max: 60 }), async (steps, merges, retain) => {
        const [kept, whole] = [await play(steps, { mergePolicy: randomMerges(merges), retain }), await play(steps)]
        try {
          await kept.engine.remove('https://nowhere.example/')
          let receipt = (await kept.engine.search('x')).receipt
          for (let before = -1; before !== receipt.dropped; ) {
            before = receipt.dropped
            for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
            receipt = (await kept.engine.search('x')).receipt
          }
          const shown = ({ results, receipt }: Awaited<ReturnType<Engine['search']>>) => {
            return { results, captures: receipt.captures }
          }
          for (const after of [0, 7, 31])
            for (const query of ['time travel stone light the of', '"time travel"', 'river -stone']) {
              let queryTime = (receipt.retainedSince ?? START_AT) + after
              let answer = await kept.engine.search(query, { queryTime, maxResults: 1000 })
              // Retention may have deleted more meanwhile, so each answer is checked against its own retainedSince.
              while (queryTime < (answer.receipt.retainedSince ?? START_AT)) {
                queryTime = (answer.receipt.retainedSince ?? START_AT) + after
                answer = await kept.engine.search(query, { queryTime, maxResults: 1000 })
              }
              expect(shown(answer)).toEqual(shown(await whole.engine.search(query, { queryTime, maxResults: 1000 })))
            }
        } finally {
          await kept.close()
          await whole.close()
        }
      }),
      { numRuns: Math.ceil(histories / 2), seed },
    )
  })

  it('never deletes current captures, and counts deleted ones in every receipt', async () => {
    let clock = START_AT
    const engine = await open(dir, { now: () => clock, retain: '10d', searchThreads: 0 })
    await addDays(engine, at => (clock = at), 30)
    await dropped(engine, 18)
    const { results, receipt } = await engine.search('weather report of same page', { maxResults: 50 })
    expect(results.map(({ url }) => url).sort()).toEqual(['https://example.com/daily', 'https://example.com/steady'])
    // Day 18 was superseded on day 19, ten days before day 29, so it is kept for all of its time.
    expect(receipt).toMatchObject({ captures: 2, dropped: 18, retainedSince: START_AT + 18 * DAY_MS })
    expect(await engine.stats()).toMatchObject({ captures: 13 })
    const before = await engine.search('weather', { queryTime: START_AT + 5 * DAY_MS })
    expect(before.results).toEqual([])
    expect(before.receipt.retainedSince).toBeGreaterThan(before.receipt.instant)
    expect(await engine.page('https://example.com/steady', { queryTime: START_AT })).toMatchObject({
      markdown: 'this page says always the same',
    })
    await engine.close()
  })

  it('keeps its counts, and deletes nothing more, when opened without a retention', async () => {
    let clock = START_AT
    const retaining = await open(dir, { now: () => clock, retain: 10 * DAY_MS, searchThreads: 0 })
    await addDays(retaining, at => (clock = at), 30)
    await dropped(retaining, 18)
    await retaining.close()
    clock += 365 * DAY_MS
    const engine = await open(dir, { now: () => clock, searchThreads: 0 })
    await engine.add([{ url: 'https://example.com/daily', text: 'new weather' }])
    expect((await engine.search('weather')).receipt).toMatchObject({
      captures: 2,
      dropped: 18,
      retainedSince: START_AT + 18 * DAY_MS,
    })
    await engine.close()
  })

  it('deletes a page with its history and aliases once it was removed long ago', async () => {
    let clock = START_AT
    const engine = await open(dir, { now: () => clock, retain: '1d', searchThreads: 0 })
    const url = 'https://example.com/gone'
    await engine.add([{ url, text: 'soon gone', aliases: ['https://example.com/alias'] }])
    clock += DAY_MS
    await engine.remove(url)
    clock += DAY_MS / 2
    await engine.add([{ url: 'https://example.com/other', text: 'other' }])
    expect(await engine.page('https://example.com/alias', { queryTime: START_AT })).toMatchObject({ url })
    clock += DAY_MS
    await engine.add([{ url: 'https://example.com/another', text: 'another' }])
    await dropped(engine, 1)
    expect(await engine.page('https://example.com/alias', { queryTime: START_AT })).toBeUndefined()
    expect(await engine.stats()).toMatchObject({ urls: 2, captures: 2, oldest: START_AT + 1.5 * DAY_MS })
    await engine.close()
  })

  it('removes deleted captures from the disk as segments are merged', async () => {
    let clock = START_AT
    const now = (): number => clock
    const retaining = await open(dir, { now, retain: '10d', searchThreads: 0, mergePolicy: () => [] })
    await addDays(retaining, at => (clock = at), 30)
    await dropped(retaining, 18)
    await retaining.close()
    const mergePolicy: MergePolicy = segments => segments.filter(({ purged }) => purged > 0).map(({ id }) => id)
    const engine = await open(dir, { now, searchThreads: 0, mergePolicy })
    // So little deleted data does not start a compaction; a purge does.
    await engine.purge('https://example.com/steady')
    await engine.close()
    const index = join(dir, 'index')
    const files = await Promise.all((await readdir(index)).map(name => readFile(join(index, name), 'latin1')))
    const holds = (word: string): boolean => files.some(file => file.includes(word))
    expect(holds('wordofday29z')).toBe(true)
    expect(holds('wordofday3z')).toBe(false)
  })

  it('rejects an invalid duration', async () => {
    for (const retain of ['90', '90 days', '', 'd', -1, Number.NaN, Number.POSITIVE_INFINITY])
      await expect(open(dir, { retain })).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        details: { field: 'retain' },
      })
  })
})
