import type { Embedder, ModelCall, TextKind } from '@asof/core'
import type { Encoder } from '@asof/encoder'
import { AsofError, isAsofError, optionsReader } from '@asof/extract/errors'
import { LoadedOnce } from './loaded-once.ts'
import { ModelPair, type VectorSource } from './model-pair.ts'
import { expectLanguages, folderOf, type ModelRecord, modelsFolder, readModelRecord } from './model-record.ts'
import { expectPartsOfPair, PAIR, PAIR_LANGUAGES, pairModel, partsOfPair } from './pair-identity.ts'
import { expectThreads } from './thread-count.ts'

/** Options of {@link localModel}. */
export interface LocalModelOptions {
  /** The folder that has the models. Default: that of the variable ASOF_MODELS, else `.asof/models` in the home folder. */
  folder?: string
  /** Number of threads of each model, 1 to 64. They share its weights. Default 1. */
  threads?: number
  /** The languages of the model, as BCP 47 tags; true for all. Default: those that were recorded when the model was added; of a pair, English. */
  languages?: true | readonly string[]
}

const readOptions = optionsReader<LocalModelOptions>({ folder: 'string', threads: 'number', languages: 'true or list' })

/**
 * Returns a model that `asof model add` has added, for the option `embed` of `open`. It runs in this process, on threads of its own. Reads
 * only its record: the encoder and the weights are loaded for the first text.
 *
 * @param name - the name that the model was added under, such as `minilm`; or `minilm+bge-small` for both of these models as a pair,
 *   which finds more than one of them and takes the time of both.
 * @throws ASOF_MODEL_INVALID - no model of this name was added, or its record is damaged; or a model of the pair is another one.
 * @throws ASOF_INVALID_OPTION - the name or an option is invalid.
 */
export function localModel(name: string, options?: LocalModelOptions): LocalModel {
  const { folder, threads, languages } = readLocalModelOptions(options)
  const found = name === PAIR ? pairIn(folder, threads) : modelIn(folder, name, threads)
  return new LocalModel({ ...found, languages: usedLanguages(languages, found.languages) })
}

/** Checks the options of a model, and fills in the defaults of those that have one for all models. @throws ASOF_INVALID_OPTION */
export function readLocalModelOptions(options?: LocalModelOptions) {
  const { folder, threads = 1, languages } = readOptions(options)
  expectThreads(threads)
  expectLanguages(languages)
  return { folder: modelsFolder(folder), threads, languages }
}

/** Returns the languages that a model is used for: those given, else those recorded. Undefined for all. */
export function usedLanguages(
  given: LocalModelOptions['languages'],
  recorded: readonly string[] | undefined,
): readonly string[] | undefined {
  const languages = given ?? recorded
  return languages === true ? undefined : languages
}

/** True if both models of the pair were added as they were published. @param folder - the folder that has the models. */
export function hasPair(folder: string): boolean {
  try {
    pairIn(folder, 1)
    return true
  } catch (error) {
    if (isAsofError(error, 'ASOF_MODEL_INVALID')) return false
    throw error
  }
}

/** A model that was added. */
function modelIn(folder: string, name: string, threads: number): UnloadedModel {
  const record = readModelRecord(name, folder)
  const { model, identity, languages, passageUnits } = record
  const path = folderOf(name, folder)
  return { model: `${model}@${identity}`, languages, passageUnits, open: () => openAdded(path, record, threads) }
}

/** The pair of two models that were added. */
function pairIn(folder: string, threads: number): UnloadedModel {
  const [firstName, secondName] = partsOfPair
  const [first, second] = [modelIn(folder, firstName, threads), modelIn(folder, secondName, threads)]
  expectPartsOfPair([first.model, second.model])
  const open = async (): Promise<ModelPair> => {
    const opened = await first.open()
    try {
      return await ModelPair.open([opened, await second.open()])
    } catch (error) {
      await opened.close()
      throw error
    }
  }
  return { model: pairModel(), languages: PAIR_LANGUAGES, passageUnits: first.passageUnits, open }
}

/** A model before it is loaded. */
interface UnloadedModel {
  /** Identifies its vectors. */
  model: string
  languages: readonly string[] | undefined
  passageUnits: number
  /** Loads it. */
  open: () => Promise<VectorSource>
}

/** An embeddings model in this process, see {@link localModel}. */
export class LocalModel implements Embedder {
  readonly model: string
  readonly languages?: readonly string[]
  readonly isLocal = true
  readonly passageUnits: number
  readonly #source: LoadedOnce<VectorSource>

  constructor({ model, languages, passageUnits, open }: UnloadedModel) {
    this.model = model
    this.passageUnits = passageUnits
    if (languages) this.languages = languages
    this.#source = new LoadedOnce(open)
  }

  /**
   * Returns one vector for each text, in order. Resolves at the speed of the model.
   *
   * @throws ASOF_MODEL_INVALID - the files are not those that were added, or this release computes other vectors from them.
   * @throws ASOF_MODEL_FAILED, ASOF_WORKER_FAILED, ASOF_CLOSED
   */
  async embed(texts: readonly string[], call: ModelCall & { kind: TextKind }): Promise<Float32Array[]> {
    const source = await this.#source.get()
    return await source.embed(texts, call)
  }

  /** Loads the encoder and the weights, which the first text does otherwise. Throws what {@link embed} does. */
  async load(): Promise<void> {
    await this.#source.get()
  }

  /** Ends the threads and frees the memory. May be called again. An engine does not close a model that it was given. */
  close(): Promise<void> {
    return this.#source.close()
  }
}

/**
 * Opens a model that was added.
 *
 * @throws ASOF_MODEL_INVALID - the files are not those that were added, or this release computes other vectors from them.
 */
async function openAdded(path: string, record: ModelRecord, threads: number): Promise<Encoder> {
  const encoder = await openEncoder(path, record, threads)
  if (encoder.identity === record.identity) return encoder
  await encoder.close()
  throw new AsofError(
    'ASOF_MODEL_INVALID',
    `the model in ${path} makes other vectors than when it was added: its files or asof have changed. Delete the folder, add the model again, and run asof embed`,
  )
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
