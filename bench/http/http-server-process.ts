import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { compiled } from '../apparatus/compiled.ts'
import type { Question } from '../questions/question.ts'
import type { CpuTimes, ServerReply, ServerRequest } from './http-child.ts'

export interface Customer {
  org: string
  key: string
}

/** A server in a process of its own, over the index in a folder. */
export class ServerProcess {
  readonly #child: ChildProcess
  /** Answers come in the order of the requests. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(folder: string, accessFolder: string) {
    this.#child = fork(compiled('http/http-child.ts'), [folder, accessFolder], {
      // As the command sets it.
      execArgv: ['--max-semi-space-size=8'],
    })
  }

  async url(): Promise<string> {
    return (await this.#request<{ url: string }>({ do: 'start' })).url
  }

  /** Starts Node's own server beside it, before the same engine; returns where it listens. */
  async bareUrl(): Promise<string> {
    return (await this.#request<{ url: string }>({ do: 'bare' })).url
  }

  /** Starts a server of plain sockets beside it, before the same engine; returns where it listens. */
  async socketUrl(): Promise<string> {
    return (await this.#request<{ url: string }>({ do: 'socket' })).url
  }

  /** Makes an organisation with a key. @param rateLimit - requests a second. */
  customer(rateLimit: number): Promise<Customer> {
    return this.#request({ do: 'customer', rateLimit })
  }

  /** Asks the engine itself; nanoseconds. */
  ask(question: Question): Promise<number> {
    return this.#request({ do: 'ask', question })
  }

  /** Credits that the ledger says an organisation drew. */
  drawn(org: string): Promise<number> {
    return this.#request({ do: 'drawn', org })
  }

  /** Resident bytes. */
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
    // Whoever asked has been told of a failure.
    this.#last = answered.catch(() => undefined)
    return answered
  }

  #exchange<Result>(request: ServerRequest): Promise<Result> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null, signal: string | null) => {
        this.#child.off('message', answer)
        reject(new Error(`the server ended with ${signal ?? code}`))
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
