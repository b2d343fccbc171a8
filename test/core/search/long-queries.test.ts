import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type CaptureInput, type Engine, open, type SearchOptions } from '../../../core/index.ts'

const PAGES = 400
const VOCABULARY = 200
const FIRST_AT = Date.UTC(2024, 0, 1)
const END_AT = Date.UTC(2025, 0, 1)
const MINUTE_MS = 60_000

/** Words whose endings the English stemmer does not remove. */
const word = (n: number): string => `w${String.fromCharCode(97 + Math.floor(n / 20), 97 + (n % 20))}lo`
const words = Array.from({ length: VOCABULARY }, (_, n) => word(n))

/** Word n is in every page whose number modulo 100 is below 100 - n / 2, so each word is rarer than the one before. */
function pageOf(number: number) {
  const held = words.filter((_, n) => (number * 37 + n * 13) % 100 < 100 - n / 2)
  return {
    url: `https://site${number % 7}.example/${number}`,
    title: `page ${number}`,
    text: `${held.join(' ')} ${number % 50 === 0 ? 'the stone bridge' : ''}`,
    acquiredAt: FIRST_AT + number * MINUTE_MS,
  }
}

const pages = Array.from({ length: PAGES }, (_, number) => pageOf(number))
let engine: Engine

async function indexOf(batches: readonly CaptureInput[][]): Promise<Engine> {
  const opened = await open(':memory:', { now: () => END_AT, mergePolicy: () => [] })
  for (const batch of batches) await opened.add(batch)
  return opened
}

async function found(of: Engine, query: string, options: SearchOptions = {}) {
  const { results, explain } = await of.search(query, { maxResults: 50, explain: true, ...options })
  return { results, scores: explain!.scores }
}

beforeAll(async () => {
  engine = await indexOf([pages.slice(0, 150), pages.slice(150, 300), pages.slice(300)])
})

afterAll(async () => {
  await engine.close()
})

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a query of over 64 terms', () => {
  it('gets the same answer as the query of its 64 rarest words, bit for bit', async () => {
    const rarest = [...words]
      .map((each, n) => ({ each, n, holding: pages.filter(({ text }) => text!.split(' ').includes(each)).length }))
      .sort((a, b) => a.holding - b.holding || a.n - b.n)
      .slice(0, 64)
      .sort((a, b) => a.n - b.n)
      .map(({ each }) => each)
    const long = await found(engine, words.join(' '), { mode: 'realtime' })
    expect(long).toEqual(await found(engine, rarest.join(' '), { mode: 'realtime' }))
    expect(long.results.length).toBe(50)
  })

  it('gets the same answer as of an instant as from an index without the later pages', async () => {
    const cut = 217
    const before = await indexOf([pages.slice(0, cut)])
    const queryTime = FIRST_AT + (cut - 1) * MINUTE_MS
    for (const mode of ['realtime', 'pro'] as const) {
      const options = { mode, queryTime }
      expect(await found(engine, words.join(' '), options)).toEqual(await found(before, words.join(' '), options))
    }
    await before.close()
  })

  it('gets the same answer for any batches and any order of arrival', async () => {
    const reversed = pages.toReversed()
    const other = await indexOf([reversed.slice(0, 31), reversed.slice(31, 333), reversed.slice(333)])
    for (const mode of ['realtime', 'pro'] as const)
      expect(await found(other, words.join(' '), { mode })).toEqual(await found(engine, words.join(' '), { mode }))
    await other.close()
  })

  it('finds pages even if all but one of its words are unknown', async () => {
    const unknown = Array.from({ length: 150 }, (_, n) => `unheard${n}`)
    const { results } = await found(engine, `${unknown.join(' ')} ${words[0]}`, { mode: 'realtime' })
    expect(results.length).toBe(50)
  })

  it('keeps its phrases, exclusions and sites, and finds a page that matches only by its phrase', async () => {
    const query = `${words.slice(100).join(' ')} "stone bridge" -"page 50" site:site2.example`
    const fitting = pages.filter(({ url, text }) => url.includes('site2') && text!.includes('stone bridge'))
    expect((await found(engine, query)).results.map(({ url }) => url).sort()).toEqual(
      fitting
        .map(({ url }) => url)
        .filter(url => !url.endsWith('/50'))
        .sort(),
    )
    expect(fitting.length).toBeGreaterThan(0)
  })

  it('has at most 64 terms in an explanation, also in webql', async () => {
    const { scores } = await found(engine, words.join(' '), { mode: 'realtime' })
    for (const parts of scores) expect(parts.length).toBeLessThanOrEqual(64)
    const webql = await found(engine, words.join(' OR '), { mode: 'webql' })
    expect(webql.results.length).toBe(50)
    for (const parts of webql.scores) expect(parts.length).toBeLessThanOrEqual(64)
  })
})

describe('the processor time of a search', () => {
  /** After the first `calm` readings of the processor time, makes every reading find that an hour has passed. */
  function passAfter(calm: number): { looks: () => number } {
    let nowMs = 0
    let looks = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1e6))
    vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ user: looks++ < calm ? 0 : 3.6e9, system: 0 }))
    return { looks: () => looks }
  }

  const queries: [string, SearchOptions][] = [
    [words.slice(0, 80).join(' '), {}],
    [`"${words[0]} ${words[1]}" ${words.slice(5, 30).join(' ')} -${words[199]}`, { publishedAfter: '2020-01-01' }],
    [`(${words[0]} NEAR/9 ${words[1]} OR wa* OR ${words[7]}~) NOT "${words[3]} ${words[4]}"`, { mode: 'webql' }],
    [`site:site2.example ${words.slice(0, 9).join(' ')}`, { maxResults: 20 }],
  ]

  it.each(queries)(
    'breaks the search off wherever it is used up, and leaves nothing to the next one: %s',
    async (query, options) => {
      const plain = { ...options, explain: false }
      const right = await engine.search(query, plain)
      const other = await engine.search(words.slice(2, 9).join(' '))
      for (let calm = 1; ; calm += 1 + Math.floor(calm / 3)) {
        passAfter(calm)
        const outcome = await engine.search(query, plain).catch((error: unknown) => error)
        vi.restoreAllMocks()
        expect((await engine.search(words.slice(2, 9).join(' '))).results).toEqual(other.results)
        if (!(outcome instanceof Error)) {
          expect(outcome).toEqual(right)
          expect(calm).toBeGreaterThan(3)
          return
        }
        expect(outcome).toMatchObject({ code: 'ASOF_SEARCH_TIMEOUT', retryable: true })
      }
    },
  )

  it('is limited on search threads too, which still answer afterwards', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'asof-long-'))
    const limited = await open(dir, { searchThreads: 1, searchTimeoutMs: 20 })
    await limited.add(pages)
    const heavy = limited.search(words.join(' '), { maxResults: 400, snippetMaxLength: 10_000 })
    await expect(heavy).rejects.toMatchObject({ code: 'ASOF_SEARCH_TIMEOUT' })
    // A new thread has loaded little code, so it takes about 400 ms for the former, and 12 ms, then 2 ms, for a page at a URL.
    const found = async () => expect((await limited.search('https://site0.example/0')).results.length).toBe(1)
    await vi.waitFor(found, { timeout: 30_000 })
    await limited.close()
    await rm(dir, { recursive: true })
  })

  it('must be set to 1 ms to an hour', async () => {
    for (const searchTimeoutMs of [0, -1, Number.NaN, 3_600_001])
      await expect(open(':memory:', { searchTimeoutMs })).rejects.toMatchObject({
        code: 'ASOF_INVALID_OPTION',
        details: { field: 'searchTimeoutMs' },
      })
  })
})
