import type { Embedder, ModelCall, TextKind } from '@asof/core'
import type { Encoder } from '@asof/encoder'
import { AsofError, optionsReader } from '@asof/extract/errors'
import { expectLanguages, folderOf, type ModelRecord, modelsFolder, readModelRecord } from './model-record.ts'
import { expectThreads } from './thread-count.ts'

/** Options of {@link localModel}. */
export interface LocalModelOptions {
  /** The folder that has the models. Default: that of the variable ASOF_MODELS, else `.asof/models` in the home folder. */
  folder?: string
  /** Number of threads, 1 to 64. They share the weights. Default 1. */
  threads?: number
  /** The languages of the model, as BCP 47 tags; true for all. Default: those that were recorded when the model was added. */
  languages?: true | readonly string[]
}

const readOptions = optionsReader<LocalModelOptions>({ folder: 'string', threads: 'number', languages: 'true or list' })

/**
 * Returns a model that `asof model add` has added, for the option `embed` of `open`. It runs in this process, on threads of its own. Reads
 * only its record: the encoder and the weights are loaded for the first text.
 *
 * @param name - the name that the model was added under, such as `minilm`.
 * @throws ASOF_MODEL_INVALID - no model of this name was added, or its record is damaged.
 * @throws ASOF_INVALID_OPTION - the name or an option is invalid.
 */
export function localModel(name: string, options?: LocalModelOptions): LocalModel {
  const { folder: given, threads = 1, languages } = readOptions(options)
  expectThreads(threads)
  expectLanguages(languages)
  const folder = modelsFolder(given)
  const record = readModelRecord(name, folder)
  const known = languages ?? record.languages ?? true
  return new LocalModel(folderOf(name, folder), record, { threads, languages: known === true ? undefined : known })
}

/** An embeddings model in this process, see {@link localModel}. */
export class LocalModel implements Embedder {
  readonly model: string
  readonly languages?: readonly string[]
  readonly isLocal = true
  readonly passageUnits: number
  readonly #path: string
  readonly #record: ModelRecord
  readonly #threads: number
  #encoder: Promise<Encoder> | undefined
  #isClosed = false

  constructor(
    path: string,
    record: ModelRecord,
    { threads, languages }: { threads: number; languages: readonly string[] | undefined },
  ) {
    this.model = `${record.model}@${record.identity}`
    this.passageUnits = record.passageUnits
    if (languages) this.languages = languages
    this.#path = path
    this.#record = record
    this.#threads = threads
  }

  /**
   * Returns one vector for each text, in order. Resolves at the speed of the model.
   *
   * @throws ASOF_MODEL_INVALID - the files are not those that were added, or this release computes other vectors from them.
   * @throws ASOF_MODEL_FAILED, ASOF_WORKER_FAILED, ASOF_CLOSED
   */
  async embed(texts: readonly string[], call: ModelCall & { kind: TextKind }): Promise<Float32Array[]> {
    const encoder = await this.#loaded()
    return await encoder.embed(texts, call)
  }

  /** Loads the encoder and the weights, which the first text does otherwise. Throws what {@link embed} does. */
  async load(): Promise<void> {
    await this.#loaded()
  }

  /** Ends the threads and frees the memory. May be called again. An engine does not close a model that it was given. */
  async close(): Promise<void> {
    this.#isClosed = true
    // Whoever waits for a model that cannot be loaded has its error.
    const encoder = await this.#encoder?.catch(() => undefined)
    await encoder?.close()
  }

  #loaded(): Promise<Encoder> {
    if (this.#isClosed) return Promise.reject(new AsofError('ASOF_CLOSED', 'the model is closed'))
    this.#encoder ??= this.#load()
    return this.#encoder
  }

  async #load(): Promise<Encoder> {
    try {
      const encoder = await openEncoder(this.#path, this.#record, this.#threads)
      if (encoder.model === this.model) return encoder
      await encoder.close()
      throw new AsofError(
        'ASOF_MODEL_INVALID',
        `the model in ${this.#path} makes other vectors than when it was added: its files or asof have changed. Delete the folder, add the model again, and run asof embed`,
      )
    } catch (error) {
      // The next text tries again.
      this.#encoder = undefined
      throw error
    }
  }
}

/** Opens a model as its record says. */
export async function openEncoder(
  path: string,
  {
    model,
    pooling,
    queryPrefix,
    passagePrefix,
  }: Pick<ModelRecord, 'model' | 'pooling' | 'queryPrefix' | 'passagePrefix'>,
  threads: number,
): Promise<Encoder> {
  const { Encoder } = await import('@asof/encoder')
  return await Encoder.open({ path, threads, name: model, pooling, queryPrefix, passagePrefix })
}
