import { AsofError } from '@asof/extract/errors'

/** What is loaded: the threads and the memory of a model. */
interface Closable {
  close(): Promise<void>
}

/** A model that is loaded for its first text, and only once. */
export class LoadedOnce<Model extends Closable> {
  readonly #load: () => Promise<Model>
  #model: Promise<Model> | undefined
  #isClosed = false

  constructor(load: () => Promise<Model>) {
    this.#load = load
  }

  /** Returns the model. If it cannot be loaded, the next call tries again. @throws ASOF_CLOSED, and what loading throws. */
  get(): Promise<Model> {
    if (this.#isClosed) return Promise.reject(new AsofError('ASOF_CLOSED', 'the model is closed'))
    this.#model ??= this.#load().catch(error => {
      this.#model = undefined
      throw error
    })
    return this.#model
  }

  /** Closes the model. May be called again. */
  async close(): Promise<void> {
    this.#isClosed = true
    // Whoever waits for a model that cannot be loaded has its error.
    const model = await this.#model?.catch(() => undefined)
    await model?.close()
  }
}
