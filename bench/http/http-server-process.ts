import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { compiled } from '../apparatus/compiled.ts'
import type { Question } from '../questions/question.ts'
import type { CpuTimes, ServerReply, ServerRequest } from './http-child.ts'

/** An organization and its API key. */
export interface Customer {
  org: string
  key: string
}

/** Handle of an HTTP server that runs in a process of its own, over the index in a folder. */
export class ServerProcess {
  readonly #child: ChildProcess
  /** The last request; requests are answered in order. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(folder: string, accessFolder: string) {
    this.#child = fork(compiled('http/http-child.ts'), [folder, accessFolder], {
      // The asof command has the same setting.
      execArgv: ['--max-semi-space-size=8'],
    })
  }

  async url(): Promise<string> {
    return (await this.#request<{ url: string }>({ do: 'start' })).url
  }

  /** Starts Node's HTTP server over the same engine; returns its URL. */
  async bareUrl(): Promise<string> {
    return (await this.#request<{ url: string }>({ do: 'bare' })).url
  }

  /** Starts a plain socket server over the same engine; returns its URL. */
  async socketUrl(): Promise<string> {
    return (await this.#request<{ url: string }>({ do: 'socket' })).url
  }

  /** Creates an organization with a key. @param rateLimit - requests per second. */
  customer(rateLimit: number): Promise<Customer> {
    return this.#request({ do: 'customer', rateLimit })
  }

  /** Registers an agent with a plan; returns its token. */
  agent(): Promise<string> {
    return this.#request({ do: 'agent' })
  }

  /** Searches by a direct call of the engine; returns nanoseconds. */
  ask(question: Question): Promise<number> {
    return this.#request({ do: 'ask', question })
  }

  /** Returns the credits that the ledger drew for an organization. */
  charged(org: string): Promise<number> {
    return this.#request({ do: 'charged', org })
  }

  /** Returns the resident memory in bytes. */
  memory(): Promise<number> {
    return this.#request({ do: 'memory' })
  }

  cpu(): Promise<CpuTimes> {
    return this.#request({ do: 'cpu' })
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.send({ do: 'stop' } satisfies ServerRequest)
    await exited
  }

  #request<Result>(request: ServerRequest): Promise<Result> {
    const answered = this.#last.then(() => this.#exchange<Result>(request))
    // The caller of this request handles a failure. The next request is sent in any case.
    this.#last = answered.catch(() => undefined)
    return answered
  }

  #exchange<Result>(request: ServerRequest): Promise<Result> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null, signal: string | null) => {
        this.#child.off('message', answer)
        reject(new Error(`the server process ended with ${signal ?? code}`))
      }
      const answer = (reply: ServerReply) => {
        this.#child.off('exit', ended)
        if ('error' in reply) reject(new Error(reply.error))
        else resolve(reply.result as Result)
      }
      if (this.#child.exitCode !== null) return ended(this.#child.exitCode, null)
      this.#child.once('message', answer)
      this.#child.once('exit', ended)
      this.#child.send(request)
    })
  }
}
