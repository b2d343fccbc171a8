import type { LocalDataFolder } from './data-folder.ts'
import type { Operation } from './operations.ts'
import { type CallOptions, callRemote, isNotBegun } from './remote-call.ts'
import type { FolderHolder } from './socket-client.ts'

/** Maximum number of holders that may end, one after another, before one of them starts the operation. */
const MOST_HOLDERS = 20

/**
 * The process that currently holds a data folder. Commands hold it one after another. If a holder ends before it has started
 * an operation, the operation is sent to the next holder. If there is none, this process opens the folder and serves it from
 * then on.
 */
export class CurrentHolder implements FolderHolder {
  readonly #socket: string
  readonly #take: () => Promise<LocalDataFolder | undefined>
  #taking: Promise<void> | undefined
  #own: LocalDataFolder | undefined
  #closed = false

  /**
   * @param socket - the path of the holder's socket.
   * @param take - opens the folder in this process and serves it at the socket; returns `undefined` if another process holds it.
   */
  constructor(socket: string, take: () => Promise<LocalDataFolder | undefined>) {
    this.#socket = socket
    this.#take = take
  }

  async call(operation: Operation, options: CallOptions = {}): Promise<unknown> {
    for (let holders = 1; ; holders++) {
      try {
        return await callRemote(this.#socket, operation, options)
      } catch (error) {
        if (!isNotBegun(error) || this.#closed || this.#own || holders === MOST_HOLDERS) throw error
      }
      await this.#takeOnce()
    }
  }

  /** Closes the folder if this process has opened it. */
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
