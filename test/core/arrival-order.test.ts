import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Engine, ObservationInput, OpenOptions, Page } from '../../core/index.ts'
import { histories, inFolders, seed } from '../histories.ts'
import {
  alias,
  aliases,
  body,
  form,
  openPlayed,
  type Playback,
  questions,
  randomMerges,
  START_AT,
  said,
  toInput,
  url,
} from './history-script.ts'
import { examined, searchKnown } from './observers.ts'

/** Milliseconds between two observations. */
const APART_MS = 10
const END_AT = START_AT + 10_000

/** An observation made at `at`, or a purge. Observations may arrive in the index later than they were made. */
type Event = { at: number; arrivesAt: number; url: string } & (
  | { kind: 'content'; body: string; said: number; form: number; publishedAt?: number; alias?: string }
  | { kind: 'remove' | 'seen'; declared: boolean }
  | { kind: 'purge' }
)
type Batched = Exclude<Event, { kind: 'purge' }>

const delay = fc.oneof(fc.constant(0), fc.nat(30))
/** True if an observation is made in the millisecond of the one before. */
const collides = fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })

const event = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('content' as const),
      url,
      body,
      said,
      form,
      alias,
      delay,
      collides,
      published: fc.option(fc.nat(30), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('remove' as const, 'seen' as const), url, delay, collides }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge' as const), url }) },
)

/** Observations in the order of their instants. Some share a millisecond, but none that of a purge. */
const events = fc.array(event, { minLength: 2, maxLength: 40, size: 'max' }).map(list => {
  let at = START_AT
  return list.map((made, i): Event => {
    const isTogether = made.kind !== 'purge' && made.collides && i > 0 && list[i - 1]?.kind !== 'purge'
    if (!isTogether) at += APART_MS
    const { url } = made
    if (made.kind === 'purge') return { kind: made.kind, url, at, arrivesAt: at }
    const arrivesAt = at + made.delay * APART_MS
    if (made.kind !== 'content') return { kind: made.kind, url, at, arrivesAt, declared: made.delay > 0 }
    const { delay: _, collides: __, published, alias, ...content } = made
    return {
      ...content,
      at,
      arrivesAt,
      alias,
      publishedAt: published === undefined ? undefined : START_AT + published * APART_MS + 5,
    }
  })
})

/** Returns the observations that purges leave: those that arrive after the last purge of their URL. */
function withoutPurged(all: readonly Event[]): Event[] {
  return all.filter(({ kind, url, arrivesAt }) => {
    const isPurged = all.some(other => other.kind === 'purge' && other.url === url && other.at >= arrivesAt)
    return kind !== 'purge' && !isPurged
  })
}

/** Sorts observations by their arrival. Those that arrive together come in the order of their instants. */
const byArrival = (all: readonly Event[]): Event[] => all.toSorted((a, b) => a.arrivesAt - b.arrivesAt || a.at - b.at)

function inputOf(made: Batched): ObservationInput {
  const { kind, url, at } = made
  if (kind === 'content') return toInput({ acquiredAt: at, ...made })
  return kind === 'remove' ? { url, removedAt: at } : { url, seenAt: at }
}

/** Adds observations in the order of their arrival. @param joins - true for those that join the batch before them. */
async function play(
  all: readonly Event[],
  { joins = [false], ...options }: Pick<OpenOptions, 'mergePolicy' | 'searchThreads'> & { joins?: boolean[] },
): Promise<Playback> {
  let clock = START_AT
  const played = await openPlayed({ now: () => clock, mergePolicy: () => [], searchThreads: 0, ...options })
  const { engine } = played
  let batch: Batched[] = []
  const flush = async () => {
    if (batch.length === 0) return
    const { failures } = await engine.add(batch.map(inputOf))
    if (failures[0]) throw new Error(failures[0].message)
    batch = []
  }
  for (const [i, made] of byArrival(all).entries()) {
    const isBatched = made.kind === 'content' || (made.kind !== 'purge' && made.declared)
    if (!isBatched || !joins[i % joins.length]) await flush()
    clock = made.arrivesAt
    if (isBatched) batch.push(made)
    else await engine[made.kind === 'seen' ? 'markSeen' : made.kind](made.url)
  }
  await flush()
  clock = END_AT
  return played
}

/** Returns the content of each URL that has a page at an instant, computed from all of its observations, which are in order. */
function contentAt(all: readonly Event[], instant: number): Extract<Event, { kind: 'content' }>[] {
  const last = new Map<string, Event>()
  for (const made of all) if (made.at <= instant && made.kind !== 'seen') last.set(made.url, made)
  return [...last.values()].filter(made => made.kind === 'content')
}

/** Returns the matching pages and their publish dates, which do not depend on statistics of the index. */
async function matches(engine: Engine, queryTime: number): Promise<unknown[]> {
  const all: unknown[] = []
  const at = (moment: number): number => START_AT + moment * APART_MS
  const windows = [
    {},
    { publishedAfter: at(10) },
    { publishedBefore: at(12) },
    { publishedAfter: at(5), publishedBefore: at(20) },
  ]
  const words = 'time travel search engine river stone light running runs 東京都'
  for (const mode of ['realtime', 'webql'] as const)
    for (const window of windows) {
      const query = mode === 'webql' ? words.replaceAll(' ', ' OR ') : words
      const options = { mode, maxResults: 1000, snippetMaxLength: 0, queryTime, ...window }
      const { results, receipt } = await engine.search(query, options)
      all.push(results.map(({ url, publishedAt }) => `${url} ${publishedAt}`).sort(), receipt.undated)
    }
  for (const query of fieldQueries) {
    const { results } = await engine.search(query, { mode: 'webql', maxResults: 1000, snippetMaxLength: 0, queryTime })
    all.push([query, results.map(({ url }) => url).sort()])
  }
  return all
}

/** Returns a page without the times at which it was observed. */
function saidBy(page: Page | undefined): Partial<Page> {
  const {
    acquiredAt: _acquired,
    revisedAt: _revised,
    supersededAt: _superseded,
    lastSeenAt: _seen,
    ...said
  } = page ?? {}
  return said
}

const fieldQueries = [
  'author:stone',
  'author:"stone river"',
  'author:(stone NEAR/2 river)',
  'author:sto* OR author:lihgt~',
  'NOT author:light',
  'type:article OR author:time',
  'type:product AND NOT url:2',
  'lang:pt-br',
  `published:[${new Date(START_AT + 100).toISOString()} TO *]`,
  'NOT published:[* TO *]',
]

/** Returns the same observations, each of which arrives when it is made. Those of one millisecond still arrive as before. */
const inOrder = (all: readonly Event[]): Event[] =>
  byArrival(all)
    .toSorted((a, b) => a.at - b.at)
    .map(made => ({ ...made, arrivesAt: made.at }))

async function answers(engine: Engine, instants: readonly (number | undefined)[]): Promise<unknown[]> {
  const all: unknown[] = []
  for (const instant of instants)
    for (const { query, options } of questions) {
      const queryTime = instant === undefined ? {} : { queryTime: instant }
      const answer = await searchKnown(engine, query, { ...options, ...queryTime })
      const { segments: _, purged: __, ...receipt } = answer?.receipt ?? {}
      all.push({ query, results: answer?.results, receipt })
    }
  return all
}

/** Returns every page as of each instant, and every observation that an export contains. */
async function pages(
  engine: Engine,
  urls: Iterable<string>,
  instants: readonly (number | undefined)[],
): Promise<unknown[]> {
  const all: unknown[] = []
  for (const url of [...urls, ...aliases])
    for (const queryTime of instants) all.push(await engine.page(url, queryTime === undefined ? {} : { queryTime }))
  const observations: ObservationInput[] = []
  for (let after: string | undefined, isLast = false; !isLast; ) {
    const part = await engine.export(after === undefined ? {} : { cursor: after })
    observations.push(...part.observations)
    after = part.next
    isLast = after === undefined
  }
  const { captures, urls: count, oldest, newest } = await engine.stats()
  return [
    ...all,
    observations,
    { captures, count, oldest, newest },
    await engine.suggest('ti'),
    await engine.suggest('li'),
  ]
}

/** Two contents of one URL in one millisecond: the first leaves no record, but ties with the second in every search. */
const replacedAtOnce: Event[] = [
  { url: 'https://a.example.com/1', body: 'time travel', said: 0, after: 10 },
  { url: 'https://a.example.com/1', body: 'time travel', said: 1, after: 10 },
  { url: 'https://a.example.com/1', body: 'time travel', said: 0, after: 20 },
  { url: 'https://a.example.com/5', body: 'time', said: 0, after: 30 },
].map(({ after, ...content }) => {
  const at = START_AT + after
  return { kind: 'content', form: 0, ...content, at, arrivesAt: at }
})

describe(`the order of arrival (seed ${seed})`, () => {
  it('changes no answer, page, version or count, however observations are batched, merged and searched', async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }),
        fc.integer(),
        fc.array(fc.nat(40), { minLength: 1, maxLength: 2 }),
        // Search threads need a folder.
        fc.constantFrom(0, 0, 0, inFolders ? 2 : 0),
        async (all, joins, merges, places, searchThreads) => {
          const late = await play(all, { joins, mergePolicy: randomMerges(merges), searchThreads })
          const left = inOrder(withoutPurged(all))
          const sorted = await play(left, { joins })
          const instants = places.map(place => START_AT + place * APART_MS + 5)
          try {
            const urls = new Set(all.map(({ url }) => url))
            expect(await answers(late.engine, [undefined, ...instants])).toEqual(
              await answers(sorted.engine, [undefined, ...instants]),
            )
            expect(await pages(late.engine, urls, [undefined, ...instants])).toEqual(
              await pages(sorted.engine, urls, [undefined, ...instants]),
            )
            for (const instant of [instants[0]!, END_AT]) await expectCurrent(late.engine, left, instant)
            expect(await examined(late.engine)).toMatchObject({ sound: true, problems: [], strays: 0 })
          } finally {
            await late.close()
            await sorted.close()
          }
        },
      ),
      { numRuns: histories, seed, examples: [[replacedAtOnce, [false], 0, [0], 0]] },
    )
  })
})

/** Expects that pages are found by the content and metadata that they have as of an instant, as in an index of nothing else. */
async function expectCurrent(late: Engine, left: readonly Event[], instant: number): Promise<void> {
  const current = contentAt(left, instant)
  const fresh = await play(inOrder(current), { joins: [true] })
  try {
    expect(await matches(late, instant)).toEqual(await matches(fresh.engine, instant))
    for (const { url } of current) {
      const [said, alone] = await Promise.all(
        [late, fresh.engine].map(async engine => saidBy(await engine.page(url, { queryTime: instant }))),
      )
      expect(said).toEqual(alone)
    }
  } finally {
    await fresh.close()
  }
}
