import { createHash } from 'node:crypto'
import { AsofError } from '@asof/extract/errors'
import { invalidModel } from '../files/invalid-model.ts'
import { type PlacedModel, placeModel } from '../forward/place-model.ts'
import type { SharedMemory } from '../kernel/forward-kernel.ts'
import { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { ModelUse } from './known-models.ts'
import { readModelFiles, tensorsOf } from './model-files.ts'
import { passageRule } from './passages.ts'

/** What to load. */
export interface ModelSource {
  /** A jar, or a folder. */
  path: string
  /** Number of tokens of the longest text. Longer texts are cut. Undefined: {@link DEFAULT_TOKENS}, or fewer if the model reads fewer. */
  maxTokens?: number
  /** Number of threads that will share the model. */
  threads: number
  use: Partial<ModelUse>
}

/** A model in memory that threads share. Plain data, which can be sent to them. */
export interface LoadedModel {
  model: PlacedModel
  memory: SharedMemory
  /** The bytes of `tokenizer.json`, in shared memory. */
  tokenizer: Uint8Array
  use: ModelUse
  /** SHA-256 of everything that a vector depends on, in hexadecimal. */
  identity: string
}

/** The number of tokens that small models were trained with: twice as many take twice the time and find no more. */
export const DEFAULT_TOKENS = 128

/** The number of the rules by which this encoder computes vectors. A change of any bit of a vector needs another number. */
export const ENCODER_VERSION = 1

/**
 * Reads the files of a model and writes it into shared memory. Takes up to seconds.
 *
 * @throws ASOF_MODEL_INVALID - a file is missing or damaged, or the model is not supported.
 * @throws ASOF_MODEL_FAILED - there is no memory for it.
 */
export function loadModel({ path, threads, use: given, ...source }: ModelSource): LoadedModel {
  const files = readModelFiles(path, given)
  const { shape, use } = files
  const tensors = tensorsOf(files)
  const tokenizer = files.tokenizer.bytes
  const hashes = [files.weights, files.config, files.tokenizer].map(({ sha256 }) => sha256)
  const maxTokens = source.maxTokens ?? Math.min(DEFAULT_TOKENS, shape.positions)
  if (maxTokens > shape.positions)
    throw new AsofError(
      'ASOF_INVALID_OPTION',
      `maxTokens is ${maxTokens}, but the model reads at most ${shape.positions} tokens`,
    )
  const { largestId } = new Tokenizer(tokenizer)
  if (largestId >= shape.vocabulary)
    throw invalidModel(`tokenizer.json has a token ${largestId}, but the model knows only ${shape.vocabulary} tokens`)
  const { name, pooling, queryPrefix, passagePrefix } = use
  const rule = { ENCODER_VERSION, passageRule, maxTokens, pooling, queryPrefix, passagePrefix, hashes }
  const shared = new Uint8Array(new SharedArrayBuffer(tokenizer.length))
  shared.set(tokenizer)
  if (name.length > 100) throw invalidModel('the name of the model is longer than 100 characters')
  const identity = createHash('sha256').update(JSON.stringify(rule)).digest('hex')
  try {
    return { ...placeModel(tensors, shape, { maxTokens, threads }), tokenizer: shared, use, identity }
  } catch (cause) {
    if (cause instanceof RangeError)
      throw new AsofError('ASOF_MODEL_FAILED', 'there is not enough memory for the model', { cause })
    throw cause
  }
}
