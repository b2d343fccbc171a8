import { mkdirSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { open } from '@asof/core'
import { normalizeUrl } from '../../core/url.ts'
import { type BenchPage, PageFileWriter } from '../apparatus/page-file.ts'
import type { CommitEngine, TimedAnswers } from '../engines/commit-index.ts'
import { type EngineName, loadEngine } from '../engines/engine.ts'
import { howToGetLanceDb, lanceDb } from '../engines/lancedb.ts'
import { luceneCommits } from '../engines/lucene-commits.ts'
import { compileLucene, howToGetLucene } from '../engines/lucene-program.ts'
import { type EngineProgram, programContender } from '../engines/program-process.ts'
import { buildRust, howToGetRust } from '../engines/rust-program.ts'
import type { Question } from '../questions/question.ts'
import { commitsOf, type DocHistory, type DocVersion } from './doc-history.ts'

/**
 * How an engine is asked as of an instant. `as of`: by asof's own search as of an instant. `newest`: by a filter that keeps the versions up to
 * the instant; of each page, only the newest found version is a result. `valid`: by two date filters that keep the versions valid at the
 * instant. `commit`: as of the instant of a commit, which the engine has kept.
 */
export type Way = 'as of' | 'newest' | 'valid' | 'commit'

/** An index of versions. Answers are version numbers, best first. */
export interface LeakIndex {
  /** Asks as of an instant, which must be that of a commit if the engine keeps commits. */
  askAsOf(questions: readonly Question[], way: Way, instant: number): Promise<TimedAnswers>
  /** Asks without any date. */
  ask(questions: readonly Question[]): Promise<TimedAnswers>
  /** Resolves when background work, such as merges, is done. */
  settle?(): Promise<void>
  close(): Promise<void>
}

/** A finished index, and what it took. */
export interface BuiltLeakIndex {
  index: LeakIndex
  /** Folder of the files of the index, and of nothing else. */
  folder: string
  /** Time to add everything. */
  addMs: number
}

export interface LeakEngine {
  name: string
  settings: string
  ways: readonly Way[]
  /**
   * @param folder - a folder that does not exist yet.
   * @param instants - those of the commits in which an engine is given the history, ascending.
   * @param afterCommit - called after each commit. An engine with two dates for each version does not call it, because it needs to know in
   * advance when a version ends, and so it is given the whole history at once.
   */
  build(
    folder: string,
    history: DocHistory,
    instants: readonly number[],
    afterCommit?: (index: LeakIndex, instant: number) => Promise<void>,
  ): Promise<BuiltLeakIndex>
}

/** Engines that keep commits, or filter by date. FlexSearch and search-index do neither. */
export const leakEngineNames = [
  'asof',
  'lucene-commits',
  'lancedb',
  'lucene',
  'tantivy',
  'fts5',
  'minisearch',
  'orama',
] as const
export type LeakEngineName = (typeof leakEngineNames)[number]

/** Loads an engine, in each way in which it can keep commits. Returns nothing, and prints what is missing, if its tools are not installed. */
export async function leakEngines(name: LeakEngineName): Promise<LeakEngine[]> {
  switch (name) {
    case 'asof':
      return [asof]
    case 'lucene-commits':
      return installed(luceneCommits(), howToGetLucene).flat().map(committing)
    case 'lancedb':
      return installed(lanceDb(), howToGetLanceDb).flat().map(committing)
    case 'lucene':
      return installed(compileLucene('Bench'), howToGetLucene).map(program => programEngine(name, program))
    case 'tantivy':
      return installed(buildRust('tantivy'), howToGetRust('tantivy')).map(program => programEngine(name, program))
    default:
      return [await nodeEngine(name)]
  }
}

function installed<Engine>(engine: Engine | undefined, howToGet: string): Engine[] {
  if (engine !== undefined) return [engine]
  console.log(howToGet)
  return []
}

function programEngine(name: EngineName, program: EngineProgram): LeakEngine {
  const { settings, start } = programContender(name, program)
  return rival(name, settings, async (folder, pages) => {
    const file = `${folder}-pages.tsv`
    const writer = new PageFileWriter(file)
    for (const page of pages) writer.write(page)
    writer.close()
    const process = await start()
    const { addMs } = await process.index(file, folder, BATCH)
    let isOpen = false
    return {
      addMs,
      search: async questions => {
        if (!isOpen && questions[0]) await process.open(folder, questions[0])
        isOpen = true
        const { found, wallNs } = await process.ask(questions)
        return { found, ms: wallNs.map(ns => ns / 1e6) }
      },
      close: () => process.stop(),
    }
  })
}

/** An engine that keeps its commits. It is given what changes from commit to commit, so it holds only the pages of the instant. */
function committing({ name, settings, open: start }: CommitEngine): LeakEngine {
  return {
    name,
    settings,
    ways: ['commit'],
    async build(folder, history, instants, afterCommit) {
      mkdirSync(folder, { recursive: true })
      const { commit, ask, close } = await start(folder)
      const index: LeakIndex = {
        askAsOf: (questions, _way, instant) => ask(questions, instant),
        ask: questions => ask(questions, instants.at(-1)!),
        close,
      }
      let addMs = 0
      for (const { instant, added, ended } of commitsOf(history, instants)) {
        addMs += await commit({ instant, added: added.map(asPage), ended: ended.map(({ number }) => number) })
        await afterCommit?.(index, instant)
      }
      return { index, folder, addMs }
    },
  }
}

const asPage = ({ number, url, title, text, at }: DocVersion): BenchPage => ({
  number,
  url,
  title,
  text,
  acquiredAt: at,
})

const BATCH = 500
/** How often is asked whether merges are done. */
const MERGE_POLL_MS = 50

const asof: LeakEngine = {
  name: 'asof',
  settings: 'asof: default options, texts with their instants, and removals, one add a commit; mode realtime',
  ways: ['as of'],
  async build(folder, { versions, removals }, instants, afterCommit) {
    const engine = await open(folder, { searchThreads: 0 })
    const numbers = new Map(versions.map(({ url, at, number }) => [`${normalizeUrl(url)} ${at}`, number]))
    const ask = async (questions: readonly Question[], queryTime?: number) => {
      const answers: TimedAnswers = { found: [], ms: [] }
      for (const { words, limit } of questions) {
        const options = { maxResults: limit, snippetMaxLength: 0, queryTime }
        const startedMs = performance.now()
        const { results } = await engine.search(words.join(' '), options)
        answers.ms.push(performance.now() - startedMs)
        answers.found.push(
          results.map(({ url, acquiredAt }) => {
            const number = numbers.get(`${url} ${acquiredAt}`)
            if (number === undefined) throw new Error(`asof found a version that was not added: ${url} ${acquiredAt}`)
            return number
          }),
        )
      }
      return answers
    }
    const index: LeakIndex = {
      askAsOf: (questions, _way, instant) => ask(questions, instant),
      ask: questions => ask(questions),
      settle: async () => {
        while (((await engine.stats()).merges ?? 0) > 0) await setTimeout(MERGE_POLL_MS)
      },
      close: () => engine.close(),
    }
    let addMs = 0
    let before = -1
    for (const instant of instants) {
      const isNew = ({ at }: { at: number }) => at > before && at <= instant
      const observations = [
        ...versions.filter(isNew).map(({ url, title, text, at }) => ({ url, title, text, acquiredAt: at })),
        ...removals.filter(isNew).map(({ url, at }) => ({ url, removedAt: at })),
      ]
      const startedMs = performance.now()
      const { failures } = await engine.add(observations)
      addMs += performance.now() - startedMs
      if (failures[0]) throw new Error(failures[0].message)
      await afterCommit?.(index, instant)
      before = instant
    }
    return { index, folder, addMs }
  },
}

async function nodeEngine(name: EngineName): Promise<LeakEngine> {
  const module = await loadEngine(name)
  return rival(name, module.settings, async (folder, pages) => {
    const engine = await module.open(folder, { body: 'text', dates: true })
    const startedMs = performance.now()
    for (let at = 0; at < pages.length; at += BATCH) await engine.add(pages.slice(at, at + BATCH))
    const addMs = performance.now() - startedMs
    return {
      addMs,
      search: async questions => {
        const found: unknown[][] = []
        const ms: number[] = []
        for (const question of questions) {
          const startedMs = performance.now()
          found.push(await engine.search(question))
          ms.push(performance.now() - startedMs)
        }
        return { found, ms }
      },
      close: () => engine.close(),
    }
  })
}

interface Searching {
  addMs: number
  search(questions: Question[]): Promise<{ found: unknown[][]; ms: number[] }>
  close(): Promise<void>
}

/** Number of results among which the newest version of each page is looked for. */
const DEPTH = 1_000
/** The end of a version that is still valid. */
const OPEN_END = Date.UTC(9999, 0)

/** An engine without history: it indexes each version as a document with two dates, the begin and the end of its validity. */
function rival(
  name: string,
  settings: string,
  index: (folder: string, pages: BenchPage[]) => Promise<Searching>,
): LeakEngine {
  return {
    name,
    settings,
    ways: ['newest', 'valid'],
    async build(folder, { versions }) {
      mkdirSync(folder, { recursive: true })
      const byNumber = new Map(versions.map(version => [version.number, version]))
      const { addMs, search, close } = await index(folder, versions.map(pageOf))
      const ask = async (questions: readonly Question[], condition: Partial<Question> = {}): Promise<TimedAnswers> => {
        const { found, ms } = await search(questions.map(question => ({ ...question, ...condition })))
        return { found: found.map(numbers => numbers.map(Number)), ms }
      }
      return {
        folder,
        addMs,
        index: {
          async askAsOf(questions, way, instant) {
            const acquired: [number, number] = [0, instant]
            if (way === 'valid') return await ask(questions, { acquired, published: [instant + 1, OPEN_END] })
            const { found, ms } = await ask(questions, { acquired, limit: DEPTH })
            return {
              found: found.map((numbers, q) => newestOfEach(numbers, byNumber).slice(0, questions[q]?.limit)),
              ms,
            }
          },
          ask,
          close,
        },
      }
    },
  }
}

const pageOf = (version: DocVersion): BenchPage => ({ ...asPage(version), publishedAt: version.until ?? OPEN_END })

/** Leaves out all found versions of a page but the newest. The order stays. Version numbers ascend with time. */
function newestOfEach(numbers: readonly number[], versions: ReadonlyMap<number, DocVersion>): number[] {
  const newest = new Map<string | undefined, number>()
  const urlOf = (number: number) => versions.get(number)?.url
  for (const number of numbers) newest.set(urlOf(number), Math.max(number, newest.get(urlOf(number)) ?? 0))
  return numbers.filter(number => newest.get(urlOf(number)) === number)
}
