import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fieldLanes, laneNames, ownLanes, type Question } from '../questions/question.ts'
import type { EngineName } from './engine.ts'
import {
  type Answers,
  type Contender,
  type EngineProcess,
  type FloodFigures,
  type IndexFigures,
  processMemory,
} from './engine-process.ts'

/** The program of an engine in another language. It reads the commands of {@link ProgramProcess}. */
export interface EngineProgram {
  command: string
  args: string[]
  /** Version and every setting that affects the figures. */
  settings: string
}

/** Returns an engine in another language as a contender. */
export function programContender(name: EngineName, program: EngineProgram): Contender {
  return {
    name,
    settings: program.settings,
    lanes: laneNames.filter(lane => !(ownLanes.has(lane) || (fieldLanes.has(lane) && name !== 'lucene'))),
    persistent: true,
    start: async () => new ProgramProcess(name, program),
  }
}

/** Runs a program. Writes each command as a line of cells separated by tabs, and what belongs to it as further lines. */
export class LineProgram {
  readonly #name: EngineName
  readonly #program: ChildProcessByStdio<Writable, Readable, null>
  readonly #lines: AsyncIterator<string>
  readonly #reader: Interface

  constructor(name: EngineName, { command, args }: EngineProgram) {
    this.#name = name
    this.#program = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#reader = createInterface({ input: this.#program.stdout })
    this.#lines = this.#reader[Symbol.asyncIterator]()
  }

  /** Sends a command and returns its answer, which is one line of JSON. */
  async request<Result>(lines: (string | number)[][]): Promise<Result> {
    this.#program.stdin.write(lines.map(cells => `${cells.join('\t')}\n`).join(''))
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`the process of ${this.#name} ended; see its message above`)
    return JSON.parse(value)
  }

  memory() {
    return processMemory(this.#program.pid!)
  }

  async stop(): Promise<void> {
    const exited = this.#program.exitCode === null && once(this.#program, 'exit')
    this.#program.stdin.end()
    await exited
    this.#reader.close()
  }
}

/** Sends each command with a line for each question. */
class ProgramProcess extends LineProgram implements EngineProcess {
  async index(pagesPath: string, folder: string, batch: number): Promise<IndexFigures> {
    const figures = await this.request<IndexFigures>([['index', pagesPath, folder, batch]])
    const memory = this.memory()
    return { ...figures, memory }
  }

  open(folder: string, first: Question): Promise<{ firstAnswerMs: number }> {
    return this.request([['open', folder], cellsOf(first)])
  }

  ask(questions: Question[]): Promise<Answers> {
    return this.request([['ask', questions.length], ...questions.map(cellsOf)])
  }

  flood(inFlight: number, ms: number, questions: Question[]): Promise<FloodFigures> {
    return this.request([['flood', inFlight, ms, questions.length], ...questions.map(cellsOf)])
  }
}

/**
 * Encodes a query. These engines can't search the past, so an instant becomes a date filter. Their statistics then still
 * include later pages.
 */
export function cellsOf(question: Question): (string | number)[] {
  const { form, limit, words, instant, acquired, published, site, contents = 'ids' } = question
  const { shareBelow = '', facet, newestFirst, offset = 0 } = question
  const [acquiredFrom, acquiredTo] = acquired ?? ['', instant ?? '']
  const [publishedFrom, publishedTo] = published ?? ['', '']
  const window = [acquiredFrom, acquiredTo, publishedFrom, publishedTo]
  const listing = [shareBelow, facet ? 'facet' : '', newestFirst ? 'newest' : '', offset]
  return [form, limit, words.join(' '), ...window, site ?? '', contents, ...listing]
}
