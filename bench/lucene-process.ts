import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import {
  type Answers,
  type Contender,
  type EngineProcess,
  type FloodFigures,
  type IndexFigures,
  processMemory,
} from './engine-process.ts'
import { laneNames, type Question } from './question.ts'

/** Where Debian and Ubuntu put the jars of liblucene*-java. */
const PACKAGED_JARS = '/usr/share/java'
/** Lucene 8 says analyzers, later ones analysis. */
const wanted = [/^lucene-core-[\d.]+\.jar$/, /^lucene-analy(zers|sis)-common-[\d.]+\.jar$/]
const JVM = ['-Xmx2g']

export const howToGetLucene =
  'Lucene is left out: it needs a JDK (17 or newer) and its jars; on Debian: apt install liblucene8-java default-jdk-headless; or give --lucene DIR_WITH_JARS'

/**
 * Lucene as a contender; `undefined` when Java or the jars are missing. Compiles engines/lucene/Bench.java.
 *
 * @param jarFolder - holds the jars, somewhere below: a repository of Maven's will do.
 */
export async function luceneContender(jarFolder = PACKAGED_JARS): Promise<Contender | undefined> {
  const names = existsSync(jarFolder) ? readdirSync(jarFolder) : []
  const jars = wanted.map(pattern =>
    names
      .filter(name => pattern.test(name))
      .sort()
      .at(-1),
  )
  if (jars.includes(undefined) || spawnSync('javac', ['-version']).status !== 0) return undefined
  const classPath = jars.map(jar => join(jarFolder, jar!)).join(delimiter)
  const classes = mkdtempSync(join(tmpdir(), 'asof-bench-lucene-'))
  process.once('exit', () => rmSync(classes, { recursive: true, force: true }))
  const source = join(import.meta.dirname, 'engines', 'lucene', 'Bench.java')
  const { status, stderr } = spawnSync('javac', ['-cp', classPath, '-d', classes, source], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`engines/lucene/Bench.java does not compile with ${classPath}:\n${stderr}`)
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr.split('\n')[0]
  return {
    name: 'lucene',
    settings: `Lucene (${basename(jars[0]!)}, ${java}): title and text in one field, EnglishAnalyzer (Porter) without stop words, BM25, positions, text stored (LZ4); one indexing thread, addDocument, 16 MB buffer, merges in the background (defaults), one commit at the end, no forced merge; block-max WAND (hits counted up to the limit), no query cache; CPU of the asking thread; java ${JVM.join(' ')}`,
    lanes: laneNames.filter(lane => lane !== 'answers'),
    persistent: true,
    start: async () => new LuceneProcess([...JVM, '-cp', `${classPath}${delimiter}${classes}`, 'Bench']),
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
    return { ...figures, ...(memory && { memory }) }
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
    if (done) throw new Error('the process of Lucene ended; see its message above')
    return JSON.parse(value)
  }
}

/** A question as Bench.java reads it. An instant to answer as of is a filter there: its statistics see the future. */
function cellsOf({ form, limit, words, queryAt, acquired, published, site }: Question): (string | number)[] {
  const [acquiredFrom, acquiredTo] = acquired ?? ['', queryAt ?? '']
  const [publishedFrom, publishedTo] = published ?? ['', '']
  return [form, limit, words.join(' '), acquiredFrom, acquiredTo, publishedFrom, publishedTo, site ?? '']
}
