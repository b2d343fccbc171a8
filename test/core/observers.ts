import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import {
  type Engine,
  type Examination,
  examine,
  isAsofError,
  type Reads,
  type SearchAnswer,
  type SearchOptions,
  type TimeInput,
} from '../../core/index.ts'
import { createService, parseRequest, searchRequest } from '../../service/index.ts'
import { aliases, questions, type Step } from './history-script.ts'

/** Asks an engine for all of one kind as of a time; undefined is now. */
export type Observer = (engine: Reads, urls: readonly string[], queryTime?: TimeInput) => Promise<unknown>

/** What an engine can say as of a time. It must be what an index says that has nothing later. */
export const observers = {
  answers: (engine, _, queryTime) => answers(engine, { queryTime }),
  pages: (engine, urls, queryTime) => each(urls, url => engine.page(url, { queryTime })),
  versions: (engine, urls, queryTime) =>
    each(urls, url => parts(after => engine.history(url, { queryTime, maxResults: 2, cursor: after }))),
  suggestions: (engine, _, queryTime) =>
    each(['t', 'exa', 'sto', 'light r', ''], text => engine.suggest(text, { queryTime })),
  quotes: (engine, urls, queryTime) =>
    each(urls, url => engine.verify({ url, quote: 'light search of the engine', queryTime })),
  fields: (engine, _, queryTime) => engine.fields({ queryTime }),
  wizards: (engine, _, queryTime) => wizards(engine, ['stone', 'a.example.com'], queryTime),
} satisfies Record<string, Observer>

/** What else an engine says, of all that it knows. A sealed engine must say it of all up to its instant. */
export const sealedObservers = {
  superseded: (engine, urls, queryTime) => each(urls, url => engine.page(url, { queryTime, supersededAt: true })),
  timelines: (engine, urls) => each(urls, url => engine.timeline(url)),
  relevance: (engine, _, queryTime) => outcome(() => engine.relevance({ queryTime })),
  exports: engine => parts(after => engine.export({ maxResults: 3, cursor: after })),
  histogram: engine => engine.captureHistogram({ maxBins: 20 }),
  stats: async engine => {
    const { captures, urls, oldest, newest } = await engine.stats()
    return { captures, urls, oldest, newest }
  },
} satisfies Record<string, Observer>

/** Asks all observers of a table. */
export async function observe(
  table: Readonly<Record<string, Observer>>,
  engine: Reads,
  urls: readonly string[],
  queryTime?: TimeInput,
): Promise<Record<string, unknown>> {
  const all: Record<string, unknown> = {}
  for (const [name, observer] of Object.entries(table)) all[name] = await observer(engine, urls, queryTime)
  return all
}

/** Expects that the versions of each page agree with the page at every instant, whatever the size of the parts. */
export async function expectAgreeingVersions(engine: Reads, urls: readonly string[], partSize: number): Promise<void> {
  for (const url of urls) {
    const read = async (maxResults: number) =>
      (await parts(after => engine.history(url, { maxResults, cursor: after }))).flatMap(({ versions }) => versions)
    const versions = await read(1_000)
    expect(await read(partSize)).toEqual(versions)
    expect((await engine.timeline(url))?.versions ?? []).toEqual(versions.map(({ kind, at }) => ({ kind, at })))
    for (const [index, { kind, at, title, supersededAt }] of versions.entries()) {
      const next = versions[index + 1]
      expect(supersededAt).toBe(next?.at)
      for (const queryTime of next ? [at, next.at - 1] : [at]) {
        const page = await engine.page(url, { queryTime, supersededAt: true })
        if (kind === 'removal') expect(page).toBeUndefined()
        else expect({ at: page?.revisedAt ?? page?.acquiredAt, title: page?.title }).toEqual({ at, title })
        expect(page?.supersededAt).toBe(kind === 'removal' ? undefined : supersededAt)
      }
    }
    if (versions.length > 0) expect(await engine.page(url, { queryTime: versions[0]!.at - 1 })).toBeUndefined()
  }
}

/** Returns the URLs of the pages in a script. */
export function pageUrls(steps: readonly Step[]): string[] {
  return [...new Set(steps.flatMap(step => (step.kind === 'add' ? step.captures.map(({ url }) => url) : [step.url])))]
}

/** Returns the URLs that observers ask for: all of a script, its aliases, and one that no index has. */
export function observedUrls(steps: readonly Step[]): string[] {
  return [...pageUrls(steps), ...aliases, 'https://unknown.example/']
}

/** Asks all {@link questions}, and for the next page of each answer that has one. */
export async function answers(engine: Reads, extra: SearchOptions): Promise<unknown[]> {
  const all: unknown[] = []
  for (const { query, options } of questions) {
    const answer = await searchKnown(engine, query, { ...options, ...extra })
    all.push([query, answer && comparable(answer)])
    const { offset: _, ...rest } = options
    if (answer?.next !== undefined)
      all.push(comparable(await engine.search(query, { ...rest, ...extra, cursor: answer.next })))
  }
  return all
}

/**
 * Returns the answer to a search; undefined if its filter names a field that no page had. That is an error, or a warning if a later page
 * has the field.
 */
export async function searchKnown(
  engine: Reads,
  query: string,
  options: SearchOptions,
): Promise<SearchAnswer | undefined> {
  try {
    const answer = await engine.search(query, options)
    const isUnknown = answer.warnings?.some(({ text }) => text.startsWith('filter: no page has the field '))
    return isUnknown ? undefined : answer
  } catch (error) {
    if (isAsofError(error) && error.message.includes('names a field that no page ever had')) return undefined
    throw error
  }
}

/**
 * Leaves out of an answer what may differ: the number of segments, which is a matter of merges; how many captures were purged, which a
 * receipt says openly; the words of a cursor; and the time as of which a field is missing, which a warning names if the caller did.
 */
export function comparable({ next, receipt, warning, warnings, ...answer }: SearchAnswer): unknown {
  return {
    ...answer,
    receipt: { ...receipt, segments: undefined, purged: undefined },
    warnings: warnings?.map(({ code, text }) => [code, text.replaceAll(/ as of [-\d]+T[\d:.]+Z/g, '')]),
    hasNext: next !== undefined,
  }
}

async function wizards(engine: Reads, queries: readonly string[], queryTime: TimeInput | undefined): Promise<unknown> {
  const service = createService(engine, async () => Promise.reject(new Error('no live fetch here')), {
    wizardTimeoutMs: 60_000,
    onWizardFailure: (_, failure) => {
      throw failure
    },
  })
  const query_time = typeof queryTime === 'number' ? { query_time: new Date(queryTime).toISOString() } : {}
  return each(queries, async query => {
    const request = parseRequest(searchRequest, { query, enable_wizards: true, ...query_time })
    return (await service.answer('search', request)).body.wizards
  })
}

/** Examines an index, in the folder of a backup. */
export async function examined(engine: Pick<Engine, 'backup'>): Promise<Examination> {
  const dir = await mkdtemp(join(tmpdir(), 'asof-examined-'))
  try {
    await engine.backup(join(dir, 'copy'))
    return await examine(join(dir, 'copy'))
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** Returns the result of a call, or what its caller learns from the error. */
export async function outcome(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call()
  } catch (error) {
    if (!isAsofError(error)) throw error
    const { code, message, details } = error
    return { code, message, details }
  }
}

async function each<T>(values: readonly T[], ask: (value: T) => Promise<unknown>): Promise<unknown[]> {
  const all: unknown[] = []
  for (const value of values) all.push([value, await outcome(() => ask(value))])
  return all
}

/** Reads all parts of a list. */
export async function parts<P extends { next?: string }>(read: (after?: string) => Promise<P>): Promise<P[]> {
  const all: P[] = []
  for (let after: string | undefined, part: P; ; after = part.next) {
    part = await read(after)
    all.push(part)
    if (part.next === undefined) return all
  }
}
