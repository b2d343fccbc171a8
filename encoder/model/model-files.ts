import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isAbsence, isAsofError, messageOf } from '@asof/extract/errors'
import { invalidModel } from '../files/invalid-model.ts'
import { JsonFields } from '../files/json-fields.ts'
import { OnnxTensors } from '../files/onnx-tensors.ts'
import { Safetensors } from '../files/safetensors.ts'
import type { Tensors } from '../files/tensors.ts'
import { zipEntries } from '../files/zip.ts'
import { type EncoderShape, type Pooling, readShape } from '../forward/encoder-shape.ts'
import { type KnownModel, knownModels, type ModelUse } from './known-models.ts'

/** A file of a model, under the name that it has in the folder of a model. */
export interface ModelFile {
  name: 'model.safetensors' | 'model.onnx' | 'config.json' | 'tokenizer.json'
  bytes: Uint8Array
  /** SHA-256 in hexadecimal. */
  sha256: string
}

/** The files of a model that vectors depend on, and how the model is used. */
export interface ModelFiles {
  shape: EncoderShape
  weights: ModelFile
  config: ModelFile
  tokenizer: ModelFile
  use: ModelUse
  /** The model that has these files, if it is a known one. */
  known: KnownModel | undefined
}

/** Largest file of a model, bytes. */
const MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024 - 1
/** Names in a safetensors file may begin with the name of the encoder in a larger model. */
const PREFIXES = ['', 'bert.', 'model.', 'encoder.']

/**
 * Reads the files of a model: a jar of {@link knownModels}, or a folder with `model.safetensors` (or `model.onnx`, quantized by
 * onnxruntime), `config.json` and `tokenizer.json`.
 *
 * @param given - what is known of the use of the model; it takes precedence over the files.
 * @throws ASOF_MODEL_INVALID - a file is missing or damaged, or the model is not supported.
 */
export function readModelFiles(path: string, given: Partial<ModelUse> = {}): ModelFiles {
  return isArchive(path) ? fromArchive(readWhole(path), given) : fromFolder(path, given)
}

/** A folder may have the name of an archive. */
function isArchive(path: string): boolean {
  return /[.](?:jar|zip)$/i.test(path) && !statSync(path, { throwIfNoEntry: false })?.isDirectory()
}

function fromArchive(archive: Buffer, given: Partial<ModelUse>): ModelFiles {
  const entries = zipEntries(archive)
  for (const entry of entries) {
    const known = knownModels.get(entry.name)
    if (!known) continue
    const tokenizer = entries.find(({ name }) => name === entry.name.replace('.onnx', '-tokenizer.json'))
    if (!tokenizer) throw invalidModel(`the archive has no tokenizer beside ${entry.name}`)
    const files = {
      weights: fileOf('model.onnx', entry.read()),
      config: fileOf('config.json', Buffer.from(JSON.stringify(known.config))),
      tokenizer: fileOf('tokenizer.json', tokenizer.read()),
    }
    // The archive does not say how its model is used, so it must be the one that is known.
    if (knownOf(files) !== known)
      throw invalidModel(`the archive does not have the published files of ${known.name}: their SHA-256 differs`)
    return { ...files, shape: shapeOf(files.config), use: { ...useOf(known), ...present(given) }, known }
  }
  throw invalidModel(`the archive has no model that is known; known are ${[...knownModels.keys()].join(', ')}`)
}

function fromFolder(folder: string, given: Partial<ModelUse>): ModelFiles {
  const config = fileOf('config.json', readWhole(join(folder, 'config.json')))
  const tokenizer = fileOf('tokenizer.json', readWhole(join(folder, 'tokenizer.json')))
  const safetensors = readIfPresent(join(folder, 'model.safetensors'))
  const weights = safetensors
    ? fileOf('model.safetensors', safetensors)
    : fileOf('model.onnx', readWhole(join(folder, 'model.onnx')))
  const known = knownOf({ weights, tokenizer })
  const pooling = given.pooling ?? known?.pooling ?? poolingOf(readIfPresent(join(folder, '1_Pooling', 'config.json')))
  const unknown = { name: basename(resolve(folder)), pooling, queryPrefix: '', passagePrefix: '' }
  const defaults = known ? useOf(known) : unknown
  const use = { ...defaults, ...present(given) }
  return { shape: shapeOf(config), weights, config, tokenizer, use, known }
}

function knownOf({ weights, tokenizer }: Pick<ModelFiles, 'weights' | 'tokenizer'>): KnownModel | undefined {
  return [...knownModels.values()].find(
    known => known.weights === weights.sha256 && known.tokenizer === tokenizer.sha256,
  )
}

function useOf({ name, pooling, languages, queryPrefix, passagePrefix }: KnownModel): ModelUse {
  return { name, pooling, languages, queryPrefix, passagePrefix }
}

/** Reads the weights of a model. @throws ASOF_MODEL_INVALID */
export function tensorsOf({ weights, shape }: ModelFiles): Tensors {
  if (weights.name === 'model.onnx') return new OnnxTensors(weights.bytes)
  const table = shape.architecture === 'bert' ? 'word_embeddings' : 'tok_embeddings'
  return new Safetensors(weights.bytes, PREFIXES, `embeddings.${table}.weight`)
}

function fileOf(name: ModelFile['name'], bytes: Uint8Array): ModelFile {
  return { name, bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function shapeOf({ bytes }: ModelFile): EncoderShape {
  return readShape(JsonFields.parse(bytes, 'config.json'))
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
    if (isAsofError(cause)) throw cause
    throw invalidModel(`${path} cannot be read: ${messageOf(cause)}`, cause)
  }
}

function readWhole(path: string): Buffer {
  const file = readIfPresent(path)
  if (!file) throw invalidModel(`there is no file ${path}`)
  return file
}

function readChecked(path: string): Buffer {
  // Without the second flag, which Windows does not have, opening a pipe waits until somebody writes into it.
  const { O_RDONLY, O_NONBLOCK = 0 } = constants
  const file = openSync(path, O_RDONLY | O_NONBLOCK)
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw invalidModel(`${path} is not a file`)
    if (stat.size > MAX_FILE_BYTES) throw invalidModel(`${path} has more than ${MAX_FILE_BYTES} bytes`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}
