import { isAsofError } from '@asof/core'
import { type Answerer, ownerAnswerer } from '../mcp/index.ts'
import type { DataFolder } from '../service/data-folder/data-folder.ts'
import { createService, limitWork } from '../service/index.ts'

/** Searches and fetches of one agent at a time; more are refused. */
const MOST_UNDER_WAY = 64

interface Held {
  folder: DataFolder
  answerer: Answerer
}

function held(folder: DataFolder, now: () => number): Held {
  const { engine, readLive, reader, journal } = folder
  const service = createService(engine, readLive, { reader, now, journal })
  return { folder, answerer: ownerAnswerer(limitWork(service, MOST_UNDER_WAY).service) }
}

/**
 * Answers from a data folder for as long as an agent stays. The folder is opened for the first call: a client that only looks
 * at the tools keeps it from nobody. Other processes hold it by turns: when the one that answered has stopped, it is opened
 * anew, and the call is made once more.
 */
export class LastingFolder {
  readonly #open: () => Promise<DataFolder>
  readonly #now: () => number
  #current: Promise<Held> | undefined
  #closing = false

  /** @param open - opens the folder, or reaches its holder. What it throws, the call throws that needed it. */
  constructor(open: () => Promise<DataFolder>, now: () => number) {
    this.#open = open
    this.#now = now
  }

  get answerer(): Answerer {
    return {
      search: request => this.#answered(answerer => answerer.search(request)),
      fetch: request => this.#answered(answerer => answerer.fetch(request)),
      feedback: request =>
        this.#answered(async ({ feedback }) => {
          if (!feedback) throw new TypeError('the owner of a folder can give feedback')
          return feedback(request)
        }),
    }
  }

  async close(): Promise<void> {
    this.#closing = true
    // A folder that could not be opened need not be closed; the call that needed it was told.
    const held = await this.#current?.catch(() => undefined)
    await held?.folder.close()
  }

  async #answered<T>(work: (answerer: Answerer) => Promise<T>): Promise<T> {
    const used = this.#held()
    try {
      return await work((await used).answerer)
    } catch (error) {
      if (!isAsofError(error, 'ASOF_CLOSED') || this.#closing) throw error
      // Of many calls that fail together, the first one opens the folder anew.
      this.#forget(used)
      return await work((await this.#held()).answerer)
    }
  }

  #held(): Promise<Held> {
    if (this.#current) return this.#current
    const opened = this.#open().then(folder => held(folder, this.#now))
    this.#current = opened
    // The next call tries again; this one is told.
    opened.catch(() => this.#forget(opened))
    return opened
  }

  #forget(gone: Promise<Held>): void {
    if (this.#current === gone) this.#current = undefined
  }
}
