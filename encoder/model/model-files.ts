import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isAbsence } from '@asof/extract/errors'
import { invalidModel } from '../files/invalid-model.ts'
import { JsonFields } from '../files/json-fields.ts'
import { OnnxTensors } from '../files/onnx-tensors.ts'
import { Safetensors } from '../files/safetensors.ts'
import type { Tensors } from '../files/tensors.ts'
import { zipEntries } from '../files/zip.ts'
import { type EncoderShape, type Pooling, readShape } from '../forward/encoder-shape.ts'
import { knownModels, type ModelUse } from './known-models.ts'

/** The files of a model, read and checked. */
export interface ModelFiles {
  shape: EncoderShape
  tensors: Tensors
  tokenizer: Uint8Array
  use: ModelUse
  /** SHA-256 of each file that vectors depend on. */
  hashes: string[]
}

/** Largest file of a model, bytes. */
const MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024 - 1
/** Names in a safetensors file may begin with the name of the encoder in a larger model. */
const PREFIXES = ['', 'bert.', 'model.', 'encoder.']

/**
 * Reads a model: a jar of {@link knownModels}, or a folder with `model.safetensors` (or `model.onnx`, quantized by onnxruntime),
 * `config.json` and `tokenizer.json`.
 *
 * @param given - what is known of the use of the model; it takes precedence over the files.
 * @throws ASOF_MODEL_INVALID - a file is missing or damaged, or the model is not supported.
 */
export function readModel(path: string, given: Partial<ModelUse>): ModelFiles {
  return /[.](?:jar|zip)$/i.test(path) ? fromArchive(readWhole(path), given) : fromFolder(path, given)
}

function fromArchive(archive: Buffer, given: Partial<ModelUse>): ModelFiles {
  const entries = zipEntries(archive)
  for (const entry of entries) {
    const known = knownModels.get(entry.name)
    if (!known) continue
    const tokenizer = entries.find(({ name }) => name === entry.name.replace('.onnx', '-tokenizer.json'))
    if (!tokenizer) throw invalidModel(`the archive has no tokenizer beside ${entry.name}`)
    const weights = entry.read()
    const config = Buffer.from(JSON.stringify(known.config))
    const { name, pooling, languages, queryPrefix, passagePrefix } = known
    const use = { name, pooling, languages, queryPrefix, passagePrefix, ...present(given) }
    return modelOf({ weights, config, tokenizer: tokenizer.read() }, new OnnxTensors(weights), use)
  }
  throw invalidModel(`the archive has no model that is known; known are ${[...knownModels.keys()].join(', ')}`)
}

function fromFolder(folder: string, given: Partial<ModelUse>): ModelFiles {
  const config = readWhole(join(folder, 'config.json'))
  const tokenizer = readWhole(join(folder, 'tokenizer.json'))
  const safetensors = readIfPresent(join(folder, 'model.safetensors'))
  const weights = safetensors ?? readWhole(join(folder, 'model.onnx'))
  const isBert = JsonFields.parse(config, 'config.json').value('model_type') === 'bert'
  const mark = isBert ? 'embeddings.word_embeddings.weight' : 'embeddings.tok_embeddings.weight'
  const tensors = safetensors ? new Safetensors(weights, PREFIXES, mark) : new OnnxTensors(weights)
  const use = {
    name: basename(folder),
    pooling: given.pooling ?? poolingOf(readIfPresent(join(folder, '1_Pooling', 'config.json'))),
    queryPrefix: '',
    passagePrefix: '',
    ...present(given),
  }
  return modelOf({ weights, config, tokenizer }, tensors, use)
}

function modelOf(
  { weights, config, tokenizer }: Record<'weights' | 'config' | 'tokenizer', Uint8Array>,
  tensors: Tensors,
  use: ModelUse,
): ModelFiles {
  const shape = readShape(JsonFields.parse(config, 'config.json'))
  const hashes = [weights, config, tokenizer].map(file => createHash('sha256').update(file).digest('hex'))
  return { shape, tensors, tokenizer, use, hashes }
}

/** Reads the pooling of a model of sentence-transformers. A classifier needs none. */
function poolingOf(file: Uint8Array | undefined): Pooling {
  if (!file) return 'mean'
  const fields = JsonFields.parse(file, '1_Pooling/config.json')
  if (fields.boolean('pooling_mode_cls_token', false)) return 'cls'
  if (fields.boolean('pooling_mode_mean_tokens', false)) return 'mean'
  throw invalidModel('1_Pooling/config.json: the pooling is not supported; supported are the first token and the mean')
}

/** The options that were given. */
function present(given: Partial<ModelUse>): Partial<ModelUse> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

function readIfPresent(path: string): Buffer | undefined {
  try {
    return readChecked(path)
  } catch (cause) {
    if (isAbsence(cause)) return undefined
    throw cause
  }
}

function readWhole(path: string): Buffer {
  const file = readIfPresent(path)
  if (!file) throw invalidModel(`there is no file ${path}`)
  return file
}

function readChecked(path: string): Buffer {
  const file = openSync(path, 'r')
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw invalidModel(`${path} is not a file`)
    if (stat.size > MAX_FILE_BYTES) throw invalidModel(`${path} has more than ${MAX_FILE_BYTES} bytes`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}
