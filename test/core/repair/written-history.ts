import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ClassicLevel } from 'classic-level'
import { type Engine, type MergePolicy, open, type RepairReport } from '../../../core/index.ts'

/** A change of an index, at an instant of its own. */
export type Event =
  | { kind: 'add'; at: number; url: string; text: string; declared: boolean; publishedAt?: number; alias?: string }
  | { kind: 'seen'; at: number; url: string }
  | { kind: 'remove'; at: number; url: string; declared: boolean }

const START_AT = Date.UTC(2025, 0, 1)
export const END_AT = START_AT + 1e9
const URLS = 25
const words = ['amber', 'birch', 'cedar', 'dahlia', 'elder', 'fern', 'gorse', 'hazel', 'iris', 'juniper']

/** Pseudo-random numbers in [0, 1) (a linear congruential generator: Numerical Recipes, 7.1). */
function numbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

interface HistoryOptions {
  sessions: number
  perSession: number
  addsOnly?: boolean
  /** Number of words in each capture that no other capture contains. */
  ownWords?: number
}

/** Creates a history of several sessions. A session is the events between opening and closing the index. */
export function historyOf(seed: number, options: HistoryOptions): Event[][] {
  const random = numbers(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!
  let at = START_AT
  return Array.from({ length: options.sessions }, (_, session) =>
    Array.from({ length: options.perSession }, (): Event => {
      at += 1000 + Math.floor(random() * 1000)
      const url = `https://site${Math.floor(random() * 3)}.example/page/${Math.floor(random() * URLS)}`
      const chance = random()
      if (!options.addsOnly && chance < 0.15) return { kind: 'seen', at, url }
      if (!options.addsOnly && chance < 0.25) return { kind: 'remove', at, url, declared: at % 2 === 0 }
      // Many unique words, so that blocks and chunks fill up.
      const own = Array.from({ length: options.ownWords ?? 40 }, () => Math.floor(random() * 1e9).toString(36))
      const text = [`s${session}at${at}`, ...Array.from({ length: 20 }, () => pick(words)), ...own].join(' ')
      return {
        kind: 'add',
        at,
        url,
        text,
        declared: random() < 0.3,
        publishedAt: random() < 0.5 ? at - 500_000 : undefined,
        alias: random() < 0.2 ? `https://alias.example/${at}` : undefined,
      }
    }),
  )
}

/** Opens the index of a folder, applies events, each at its instant, and closes it. */
export async function play(dir: string, events: readonly Event[], options: { merging?: boolean } = {}): Promise<void> {
  let now = events[0]?.at ?? END_AT
  const mergePolicy: MergePolicy = segments =>
    options.merging && segments.length >= 8 ? segments.map(({ id }) => id) : []
  const engine = await open(dir, { now: () => now, mergePolicy, searchThreads: 0 })
  try {
    for (const event of events) {
      now = event.at
      if (event.kind === 'seen') await engine.markSeen(event.url)
      else if (event.kind === 'remove') await engine.remove(event.url, event.declared ? { at: event.at } : {})
      else {
        const { url, text, declared, publishedAt, alias, at } = event
        const { failures } = await engine.add([
          {
            url,
            text,
            title: 'a page',
            acquiredAt: declared ? at : undefined,
            publishedAt,
            aliases: alias === undefined ? undefined : [alias],
          },
        ])
        if (failures.length > 0) throw new Error(failures[0]!.message)
      }
    }
  } finally {
    await engine.close()
  }
}

export interface Answers {
  searches: unknown[]
  pages: unknown[]
}

/** Returns answers and pages of an index at many instants. */
export async function answersOf(dir: string, events: readonly Event[]): Promise<Answers> {
  const engine = await open(dir, { now: () => END_AT, mergePolicy: () => [], searchThreads: 0 })
  try {
    return { searches: await searches(engine, events), pages: await pages(engine, events) }
  } finally {
    await engine.close()
  }
}

async function searches(engine: Engine, events: readonly Event[]): Promise<unknown[]> {
  const found: unknown[] = []
  const instants = events.filter((_, i) => i % Math.ceil(events.length / 10) === 0).map(({ at }) => at)
  for (const queryTime of [...instants, END_AT])
    for (const query of ['amber cedar', 'fern', '"iris hazel"', 'juniper -gorse site:site1.example']) {
      const { results, receipt } = await engine.search(query, { queryTime, maxResults: 20 })
      found.push({ query, queryTime, results, captures: receipt.captures, declared: receipt.declared })
    }
  return found
}

async function pages(engine: Engine, events: readonly Event[]): Promise<unknown[]> {
  const found: unknown[] = []
  for (const event of events) {
    for (const queryTime of [event.at, END_AT]) found.push(await engine.page(event.url, { queryTime }))
    if (event.kind === 'add' && event.alias) found.push(await engine.page(event.alias, { queryTime: event.at }))
  }
  return found
}

/**
 * Returns the events whose captures survived. A lost capture becomes a removal if the repair reports its URL or if the end of
 * the capture before it is still stored; otherwise it is left out.
 */
export async function eventsLeft(dir: string, events: readonly Event[], lost: RepairReport['lost']): Promise<Event[]> {
  const known = new Set(lost.filter(({ url }) => url !== undefined).map(({ acquiredAt }) => acquiredAt))
  const engine = await open(dir, { now: () => END_AT, mergePolicy: () => [], searchThreads: 0 })
  const left: Event[] = []
  try {
    for (const event of events) {
      const { at, url } = event
      if (event.kind !== 'add') left.push(event)
      else {
        const page = await engine.page(url, { queryTime: at })
        if (page?.markdown === event.text) left.push(event)
        else if (known.has(at) || page === undefined) left.push({ kind: 'remove', at, url, declared: event.declared })
      }
    }
  } finally {
    await engine.close()
  }
  return left
}

/** Returns answers without publish dates and without the number of declared captures. */
export function undated({ searches, pages }: Answers): Answers {
  const strip = (value: unknown): unknown =>
    value === undefined ? value : { ...(value as object), publishedAt: undefined, publishedFrom: undefined }
  return {
    searches: searches.map(search => {
      const { results, ...rest } = search as { results: unknown[] }
      return { ...rest, declared: undefined, results: results.map(strip) }
    }),
    pages: pages.map(strip),
  }
}

export async function withFolder<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(path.join(tmpdir(), 'asof-repair-'))
  try {
    return await use(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Copies an index that no process has open. @returns the copy. */
export async function copied(from: string, to: string): Promise<string> {
  await cp(from, to, { recursive: true })
  return to
}

const raw = { keyEncoding: 'view', valueEncoding: 'view', compression: false } as const

/** Rewrites the index into many tables of a megabyte with small blocks, as in a large index. */
export async function spread(dir: string): Promise<void> {
  const settings = { ...raw, maxFileSize: 1024 * 1024, blockSize: 2048 }
  const database = new ClassicLevel<Uint8Array, Uint8Array>(path.join(dir, 'index'), settings)
  await database.open(settings)
  await database.compactRange(Uint8Array.of(0), Uint8Array.of(255))
  // All values are in tables now, and none is only in the log.
  await database.close()
}

/** Changes stored values directly in LevelDB. */
export async function tamper(
  dir: string,
  change: (database: ClassicLevel<Uint8Array, Uint8Array>) => Promise<void>,
): Promise<void> {
  const database = new ClassicLevel<Uint8Array, Uint8Array>(path.join(dir, 'index'), raw)
  await database.open()
  try {
    await change(database)
  } finally {
    await database.close()
  }
}
