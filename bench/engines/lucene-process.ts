import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { laneNames, ownLanes, type Question } from '../questions/question.ts'
import {
  type Answers,
  type Contender,
  type EngineProcess,
  type FloodFigures,
  type IndexFigures,
  processMemory,
} from './engine-process.ts'
import { compileLucene } from './lucene-classes.ts'

export const howToGetLucene =
  'Skipping Lucene: install a JDK (17 or newer) and the jars of Lucene (on Debian: apt install liblucene8-java default-jdk-headless), or pass --lucene DIR_WITH_JARS'

/**
 * Compiles engines/lucene/Bench.java and returns Lucene as a contender, or undefined if the JDK or the jars are missing.
 *
 * @param jarFolder - folder with the jars of Lucene.
 */
export async function luceneContender(jarFolder?: string): Promise<Contender | undefined> {
  const program = compileLucene('Bench', jarFolder)
  if (!program) return undefined
  return {
    name: 'lucene',
    settings: `Lucene (${program.version}): title and text in one field, EnglishAnalyzer (Porter) without stop words, BM25, positions, text stored (LZ4); one indexing thread, addDocument, 16 MB buffer, merges in the background (defaults), one commit at the end, no forced merge; block-max WAND (hits counted up to the limit), no query cache; CPU of the asking thread; ${program.settings}`,
    lanes: laneNames.filter(lane => !ownLanes.has(lane)),
    persistent: true,
    start: async () => new LuceneProcess(program.args),
  }
}

class LuceneProcess implements EngineProcess {
  readonly #java: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: AsyncIterator<string>
  readonly #reader: Interface

  constructor(args: string[]) {
    this.#java = spawn('java', args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#reader = createInterface({ input: this.#java.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  async index(pagesPath: string, folder: string, batch: number): Promise<IndexFigures> {
    const figures = await this.#request<IndexFigures>([['index', pagesPath, folder, batch]])
    const memory = this.memory()
    return { ...figures, memory }
  }

  open(folder: string, first: Question): Promise<{ firstAnswerMs: number }> {
    return this.#request([['open', folder], cellsOf(first)])
  }

  ask(questions: Question[]): Promise<Answers> {
    return this.#request([['ask', questions.length], ...questions.map(cellsOf)])
  }

  flood(inFlight: number, ms: number, questions: Question[]): Promise<FloodFigures> {
    return this.#request([['flood', inFlight, ms, questions.length], ...questions.map(cellsOf)])
  }

  memory() {
    return processMemory(this.#java.pid!)
  }

  async stop(): Promise<void> {
    const exited = this.#java.exitCode === null && once(this.#java, 'exit')
    this.#java.stdin.end()
    await exited
    this.#reader.close()
  }

  async #request<Result>(lines: (string | number)[][]): Promise<Result> {
    this.#java.stdin.write(lines.map(cells => `${cells.join('\t')}\n`).join(''))
    const { value, done } = await this.#lines.next()
    if (done) throw new Error('the Lucene process ended; see its message above')
    return JSON.parse(value)
  }
}

/** Encodes a query for Bench.java. Lucene has no past: an as-of time becomes a date filter, and its statistics include later pages. */
function cellsOf({ form, limit, words, instant, acquired, published, site }: Question): (string | number)[] {
  const [acquiredFrom, acquiredTo] = acquired ?? ['', instant ?? '']
  const [publishedFrom, publishedTo] = published ?? ['', '']
  return [form, limit, words.join(' '), acquiredFrom, acquiredTo, publishedFrom, publishedTo, site ?? '']
}
