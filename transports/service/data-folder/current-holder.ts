import type { HeldFolder } from './data-folder.ts'
import { type CallOptions, callRemote, isNotBegun } from './remote-call.ts'
import type { FolderHolder } from './socket-client.ts'
import type { Operation } from './socket-message.ts'

/** Holders that may go away before one takes an operation on: each was there when it was looked for. */
const MOST_HOLDERS = 20

/**
 * Whoever holds a data folder now. Commands hold it by turns: one that ends between being found and being asked has not
 * taken the operation on, so the next one is asked; where there is none, this process holds the folder from then on and
 * answers for it.
 */
export class CurrentHolder implements FolderHolder {
  readonly #socket: string
  readonly #take: () => Promise<HeldFolder | undefined>
  #taking: Promise<void> | undefined
  #own: HeldFolder | undefined
  #closed = false

  /**
   * @param socket - where the holder answers.
   * @param take - opens the folder in this process and answers at the socket; `undefined` when another process does.
   */
  constructor(socket: string, take: () => Promise<HeldFolder | undefined>) {
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

  /** Leaves the folder of another process open: it is not ours. */
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
