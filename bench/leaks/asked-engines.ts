import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { open } from '@asof/core'
import { normalizeUrl } from '../../core/url.ts'
import { type BenchPage, PageFileWriter } from '../apparatus/page-file.ts'
import { type EngineName, loadEngine } from '../engines/engine.ts'
import { compileLucene, howToGetLucene } from '../engines/lucene-program.ts'
import { programContender } from '../engines/program-process.ts'
import { buildTantivy, howToGetTantivy } from '../engines/tantivy-program.ts'
import type { Question } from '../questions/question.ts'
import type { DocHistory, DocVersion } from './doc-history.ts'

/**
 * How an engine is asked as of an instant. `as of`: by asof's own search as of an instant. `newest`: by a filter that keeps the versions up to
 * the instant; of each page, only the newest found version is a result. `valid`: by two date filters that keep the versions valid at the
 * instant.
 */
export type Way = 'as of' | 'newest' | 'valid'

/** An index of versions. Answers are version numbers, best first. */
export interface LeakIndex {
  /** Asks as of an instant. */
  askAsOf(questions: readonly Question[], way: Way, instant: number): Promise<number[][]>
  /** Asks without any date. */
  ask(questions: readonly Question[]): Promise<number[][]>
  close(): Promise<void>
}

export interface LeakEngine {
  name: string
  settings: string
  ways: readonly Way[]
  /** @param folder - a folder that does not exist yet. */
  build(folder: string, history: DocHistory): Promise<LeakIndex>
}

/** Engines that filter by date. FlexSearch and search-index have no such filter. */
export const datedEngines = ['asof', 'lucene', 'tantivy', 'fts5', 'minisearch', 'orama'] as const
export type DatedEngine = (typeof datedEngines)[number]

/** Loads an engine. Returns undefined, and prints what is missing, if its tools are not installed. */
export async function leakEngine(name: DatedEngine): Promise<LeakEngine | undefined> {
  if (name === 'asof') return asof
  if (name !== 'lucene' && name !== 'tantivy') return await nodeEngine(name)
  const program = name === 'lucene' ? compileLucene('Bench') : buildTantivy()
  if (!program) {
    console.log(name === 'lucene' ? howToGetLucene : howToGetTantivy)
    return undefined
  }
  const { settings, start } = programContender(name, program)
  return rival(name, settings, async (folder, pages) => {
    const file = join(folder, 'pages.tsv')
    const writer = new PageFileWriter(file)
    for (const page of pages) writer.write(page)
    writer.close()
    const index = join(folder, 'index')
    mkdirSync(index)
    const process = await start()
    await process.index(file, index, BATCH)
    let isOpen = false
    return {
      search: async questions => {
        if (!isOpen && questions[0]) await process.open(index, questions[0])
        isOpen = true
        return (await process.ask(questions)).found
      },
      close: () => process.stop(),
    }
  })
}

const BATCH = 500

const asof: LeakEngine = {
  name: 'asof',
  settings: 'asof: default options, texts with their instants, and removals; mode realtime',
  ways: ['as of'],
  async build(folder, { versions, removals }) {
    const engine = await open(folder, { searchThreads: 0 })
    const pages = versions.map(({ url, title, text, at }) => ({ url, title, text, acquiredAt: at }))
    for (let at = 0; at < pages.length; at += BATCH) {
      const { failures } = await engine.add(pages.slice(at, at + BATCH))
      if (failures[0]) throw new Error(failures[0].message)
    }
    await engine.add(removals.map(({ url, at }) => ({ url, removedAt: at })))
    const numbers = new Map(versions.map(({ url, at, number }) => [`${normalizeUrl(url)} ${at}`, number]))
    const ask = async (questions: readonly Question[], queryTime?: number) => {
      const answers: number[][] = []
      for (const { words, limit } of questions) {
        const options = { maxResults: limit, snippetMaxLength: 0, queryTime }
        const { results } = await engine.search(words.join(' '), options)
        answers.push(
          results.map(({ url, acquiredAt }) => {
            const number = numbers.get(`${url} ${acquiredAt}`)
            if (number === undefined) throw new Error(`asof found a version that was not added: ${url} ${acquiredAt}`)
            return number
          }),
        )
      }
      return answers
    }
    return {
      askAsOf: (questions, _way, instant) => ask(questions, instant),
      ask: questions => ask(questions),
      close: () => engine.close(),
    }
  },
}

async function nodeEngine(name: EngineName): Promise<LeakEngine> {
  const module = await loadEngine(name)
  return rival(name, module.settings, async (folder, pages) => {
    const engine = await module.open(folder, { body: 'text', dates: true })
    for (let at = 0; at < pages.length; at += BATCH) await engine.add(pages.slice(at, at + BATCH))
    return {
      search: async questions => {
        const found: unknown[][] = []
        for (const question of questions) found.push(await engine.search(question))
        return found
      },
      close: () => engine.close(),
    }
  })
}

interface Searching {
  search(questions: Question[]): Promise<unknown[][]>
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
      const { search, close } = await index(folder, versions.map(pageOf))
      const ask = async (questions: readonly Question[], condition: Partial<Question> = {}) =>
        (await search(questions.map(question => ({ ...question, ...condition })))).map(found => found.map(Number))
      return {
        async askAsOf(questions, way, instant) {
          const acquired: [number, number] = [0, instant]
          if (way === 'valid') return await ask(questions, { acquired, published: [instant + 1, OPEN_END] })
          const found = await ask(questions, { acquired, limit: DEPTH })
          return found.map((numbers, q) => newestOfEach(numbers, byNumber).slice(0, questions[q]?.limit))
        },
        ask,
        close,
      }
    },
  }
}

const pageOf = ({ number, url, title, text, at, until }: DocVersion): BenchPage => ({
  number,
  url,
  title,
  text,
  acquiredAt: at,
  publishedAt: until ?? OPEN_END,
})

/** Leaves out all found versions of a page but the newest. The order stays. Version numbers ascend with time. */
function newestOfEach(numbers: readonly number[], versions: ReadonlyMap<number, DocVersion>): number[] {
  const newest = new Map<string | undefined, number>()
  const urlOf = (number: number) => versions.get(number)?.url
  for (const number of numbers) newest.set(urlOf(number), Math.max(number, newest.get(urlOf(number)) ?? 0))
  return numbers.filter(number => newest.get(urlOf(number)) === number)
}
