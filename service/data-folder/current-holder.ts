import type { LocalDataFolder } from './data-folder.ts'
import type { EngineOperation } from './operations.ts'
import { type CallOptions, callRemote, isNotBegun } from './remote-call.ts'
import type { FolderHolder } from './socket-client.ts'

/** Maximum number of processes to which an operation is sent, if each ends before it starts the operation. */
const MAX_HOLDERS = 20

/**
 * Runs operations in the process that currently has the data folder open. When that process ends, another may open the
 * folder. If a process ends before it starts an operation, the operation is sent to the next process. If there is none,
 * this process opens the folder and serves it.
 */
export class CurrentHolder implements FolderHolder {
  readonly #socket: string
  readonly #take: () => Promise<LocalDataFolder | undefined>
  #taking: Promise<void> | undefined
  #own: LocalDataFolder | undefined
  #closed = false

  /**
   * @param socket - path of the socket at which the folder is served.
   * @param take - opens the folder in this process and serves it at the socket. Returns undefined if another process
   *   has it open.
   */
  constructor(socket: string, take: () => Promise<LocalDataFolder | undefined>) {
    this.#socket = socket
    this.#take = take
  }

  async call(operation: EngineOperation, options: CallOptions = {}): Promise<unknown> {
    for (let holders = 1; ; holders++) {
      try {
        return await callRemote(this.#socket, operation, options)
      } catch (error) {
        if (!isNotBegun(error) || this.#closed || this.#own || holders === MAX_HOLDERS) throw error
      }
      await this.#takeOnce()
    }
  }

  /** Closes the folder, if this process has opened it. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#taking?.catch(() => undefined)
    await this.#own?.close()
  }

  #takeOnce(): Promise<void> {
    this.#taking ??= this.#take()
      .then(own => {
        this.#own = own
      })
      .finally(() => {
        this.#taking = undefined
      })
    return this.#taking
  }
}
