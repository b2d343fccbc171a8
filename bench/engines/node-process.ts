import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { leanAllocator, leanFlags } from '../../transports/cli/lean-memory.ts'
import { compiled } from '../apparatus/compiled.ts'
import type { Question } from '../questions/question.ts'
import { type EngineName, type EngineOptions, loadEngine } from './engine.ts'
import type { Reply, Request } from './engine-child.ts'
import {
  type Answers,
  type Contender,
  type EngineProcess,
  type FloodFigures,
  type IndexFigures,
  processMemory,
} from './engine-process.ts'

/** Returns an engine that runs in Node as a contender. */
export async function nodeContender(name: EngineName): Promise<Contender> {
  const { settings, lanes, persistent, mostPages } = await loadEngine(name)
  return {
    name,
    settings,
    lanes,
    persistent,
    mostPages,
    start: async (options = {}) => new NodeProcess(name, options),
  }
}

class NodeProcess implements EngineProcess {
  readonly #child: ChildProcess

  constructor(name: EngineName, options: EngineOptions) {
    this.#child = fork(compiled('engines/engine-child.ts'), [name, JSON.stringify(options)], {
      // In-memory engines need a large heap for 100,000 pages, and are faster without the memory settings of the asof command.
      execArgv: name === 'asof' ? [...leanFlags] : ['--max-old-space-size=8192'],
      env: name === 'asof' ? { ...process.env, ...leanAllocator } : process.env,
    })
  }

  async index(pagesPath: string, folder: string, batch: number): Promise<IndexFigures> {
    const figures = await this.#request<IndexFigures>({ do: 'index', pagesPath, folder, batch })
    const memory = this.memory()
    return { ...figures, memory }
  }

  open(folder: string, first: Question): Promise<{ firstAnswerMs: number }> {
    return this.#request({ do: 'open', folder, first })
  }

  ask(questions: Question[]): Promise<Answers> {
    return this.#request({ do: 'ask', questions })
  }

  flood(inFlight: number, ms: number, questions: Question[]): Promise<FloodFigures> {
    return this.#request({ do: 'flood', inFlight, ms, questions })
  }

  explain(questions: Question[]): Promise<Record<string, number>[]> {
    return this.#request({ do: 'explain', questions })
  }

  memory() {
    return processMemory(this.#child.pid!)
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.send({ do: 'stop' } satisfies Request)
    await exited
  }

  #request<Result>(request: Request): Promise<Result> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null, signal: string | null) => {
        this.#child.off('message', answered)
        reject(new Error(`${this.#child.spawnargs.at(-2)}: its process ended with ${signal ?? code}`))
      }
      const answered = (reply: Reply) => {
        this.#child.off('exit', ended)
        if ('error' in reply) reject(new Error(reply.error))
        else resolve(reply.result as Result)
      }
      this.#child.once('message', answered)
      this.#child.once('exit', ended)
      this.#child.send(request)
    })
  }
}
