import { isAsofError } from '@asof/core'
import type { DataFolder } from '../../service/data-folder/index.ts'
import { createService, limitWork } from '../../service/index.ts'
import { ownerBackend, type ToolBackend } from '../mcp/index.ts'

/** Maximum number of concurrent calls of an agent. Further calls are refused. */
const MAX_UNDER_WAY = 64

export interface LastingOptions {
  /** The clock, epoch ms. */
  now: () => number
  /** The instant at which the folder is sealed for the agent, epoch ms. Default: it is not sealed. */
  sealedAt?: number | undefined
  /** The address of the server of the folder, for links in citations. Default: they are relative. */
  base?: string | undefined
}

/** An open data folder with its backend. */
interface Held {
  folder: DataFolder
  backend: ToolBackend
}

function answerFrom(folder: DataFolder, { now, sealedAt, base }: LastingOptions): Held {
  const { engine, readLive, reader, journal } = folder
  const whole = createService(engine, readLive, { reader, now, journal })
  const service = sealedAt === undefined ? whole : whole.sealed(sealedAt)
  return { folder, backend: ownerBackend(limitWork(service, MAX_UNDER_WAY).service, base) }
}

/**
 * Answers an agent from a data folder. The folder is opened at the first call, so a client that only lists the tools does
 * not lock it. If another process holds the folder and ends during a call, the call is repeated.
 */
export class LastingFolder {
  readonly #open: () => Promise<DataFolder>
  readonly #options: LastingOptions
  #current: Promise<Held> | undefined
  #closing = false

  /** @param open - opens the folder, or connects to its holder. The call that needs the folder throws its errors. */
  constructor(open: () => Promise<DataFolder>, options: LastingOptions) {
    this.#open = open
    this.#options = options
  }

  get backend(): ToolBackend {
    const { sealedAt } = this.#options
    return {
      sealedAt,
      // A sealed folder takes no feedback.
      offers: name => name !== 'feedback' || sealedAt === undefined,
      answer: (name, request) => this.#use(backend => backend.answer(name, request)),
      // Only calls open the folder.
      hasFields: async () =>
        this.#current !== undefined && (await this.#use(async ({ hasFields }) => (await hasFields?.()) === true)),
    }
  }

  async close(): Promise<void> {
    this.#closing = true
    // If the folder failed to open, there is nothing to close. The call that needed the folder has thrown the error.
    const held = await this.#current?.catch(() => undefined)
    await held?.folder.close()
  }

  async #use<T>(work: (backend: ToolBackend) => Promise<T>): Promise<T> {
    const { backend } = await this.#hold()
    try {
      return await work(backend)
    } catch (error) {
      // The process that held the folder has ended. A repeated call reaches the next process that holds it, or opens it in this
      // process.
      if (isAsofError(error, 'ASOF_CLOSED') && !this.#closing) return await work(backend)
      throw error
    }
  }

  #hold(): Promise<Held> {
    this.#current ??= this.#open()
      .then(folder => answerFrom(folder, this.#options))
      .catch((error: unknown) => {
        // This call throws the error. The next call opens the folder again.
        this.#current = undefined
        throw error
      })
    return this.#current
  }
}
