import { createHash } from 'node:crypto'
import type { Embedder, ModelCall, TextKind } from '@asof/core'
import { AsofError } from '@asof/extract/errors'
import { LoadedOnce } from './loaded-once.ts'
import { type LocalModelOptions, readLocalModelOptions, usedLanguages } from './local-model.ts'
import { folderOf, type ModelRecord, readModelRecord } from './model-record.ts'
import { OnnxThread } from './onnx-thread.ts'

/** The file that onnxruntime reads. */
const WEIGHTS = 'model.onnx'

/**
 * Returns a model that `asof model add` has added, run by the package `onnxruntime-node`, which you install yourself. It is several times as fast
 * as `localModel`. But its vectors differ a little from processor to processor, and from those of `localModel`, with which an index never compares
 * them. Reads only its record: the package and the weights are loaded for the first text.
 *
 * @param name - the name that the model was added under, such as `minilm`.
 * @throws ASOF_MODEL_INVALID - no model of this name was added, it has no ONNX file, or its record is damaged.
 * @throws ASOF_INVALID_OPTION - the name or an option is invalid.
 */
export function onnxModel(name: string, options?: LocalModelOptions): OnnxModel {
  const { folder, threads, languages } = readLocalModelOptions(options)
  const record = readModelRecord(name, folder)
  if (!record.files.some(file => file.name === WEIGHTS))
    throw new AsofError(
      'ASOF_MODEL_INVALID',
      `the model ${name} has no ONNX file, which onnxruntime needs: use local:${name}`,
    )
  return new OnnxModel(folderOf(name, folder), record, {
    threads,
    languages: usedLanguages(languages, record.languages),
  })
}

/** An embeddings model in this process that onnxruntime runs, see {@link onnxModel}. */
export class OnnxModel implements Embedder {
  readonly model: string
  readonly languages?: readonly string[]
  readonly isLocal = true
  readonly passageUnits: number
  readonly #record: ModelRecord
  readonly #thread: LoadedOnce<OnnxThread>

  constructor(
    path: string,
    record: ModelRecord,
    { threads, languages }: { threads: number; languages: readonly string[] | undefined },
  ) {
    this.model = `${record.model}@onnx-${identityOf(record)}`
    this.passageUnits = record.passageUnits
    if (languages) this.languages = languages
    this.#record = record
    const { files, pooling } = record
    this.#thread = new LoadedOnce(() => OnnxThread.start({ path, files, threads, pooling }))
  }

  /**
   * Returns one vector for each text, in order. Queries go before passages that wait.
   *
   * @throws ASOF_PACKAGE_MISSING - onnxruntime-node is not installed.
   * @throws ASOF_MODEL_INVALID - the files are not those that were added.
   * @throws ASOF_MODEL_FAILED, ASOF_WORKER_FAILED, ASOF_CLOSED
   */
  async embed(texts: readonly string[], { kind, signal }: ModelCall & { kind: TextKind }): Promise<Float32Array[]> {
    const { meanVector, passagesOf } = await import('@asof/encoder')
    const thread = await this.#thread.get()
    const { queryPrefix, passagePrefix } = this.#record
    const isQuery = kind === 'query'
    const partsOf = (text: string): string[] =>
      isQuery ? [queryPrefix + text] : passagesOf(text).map(passage => passagePrefix + passage)
    return await Promise.all(
      texts.map(async text => {
        const vectors = partsOf(text).map(part => thread.embed(part, { isUrgent: isQuery, signal }))
        return meanVector(await Promise.all(vectors))
      }),
    )
  }

  /** Loads the package and the weights, which the first text does otherwise. Throws what {@link embed} does. */
  async load(): Promise<void> {
    await this.#thread.get()
  }

  /** Ends the thread and frees the memory. May be called again. An engine does not close a model that it was given. */
  close(): Promise<void> {
    return this.#thread.close()
  }
}

/** Returns the SHA-256 of what the vectors depend on, other than the processor and the version of onnxruntime. */
function identityOf({ identity }: ModelRecord): string {
  return createHash('sha256').update(`onnxruntime ${identity}`).digest('hex')
}
