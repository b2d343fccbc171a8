import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { ModelFiles } from '@asof/encoder'
import { AsofError, invalidOption, isAbsence, isAsofError, messageOf, optionsReader } from '@asof/extract/errors'
import { knownLanguages } from '../models/known-languages.ts'
import { openEncoder } from './local-model.ts'
import { openCrossEncoder } from './local-reranker.ts'
import {
  type AddedRecord,
  expectLanguages,
  folderOf,
  type ModelRecord,
  modelsFolder,
  type RecordedFile,
  type RerankerRecord,
  readAddedRecord,
  recordFile,
} from './model-record.ts'
import { proofOf, proofOfScores } from './proof.ts'

/** Options of {@link addModel}. */
export interface AddModelOptions {
  /** The name to add the model under. Default: the short name of a known model, else the name of its folder. */
  name?: string
  /** The languages that an embeddings model knows, as BCP 47 tags; true for all. Default: those of a known model, else all. */
  languages?: true | readonly string[]
  /** Text before queries. Default: that of a known model, else none. */
  queryPrefix?: string
  /** Text before passages. Default: that of a known model, else none. */
  passagePrefix?: string
  /** The folder that gets the model. Default: that of the variable ASOF_MODELS, else `.asof/models` in the home folder. */
  folder?: string
}

/** A model that was added. */
export interface AddedModel {
  name: string
  record: AddedRecord
  /** The folder that has its files. */
  path: string
  /** True if the files are those of a known model, byte for byte, and this machine computes its vectors. */
  isKnown: boolean
  /** False if it had been added before. */
  isNew: boolean
}

const readOptions = optionsReader<AddModelOptions>({
  name: 'string',
  languages: 'true or list',
  queryPrefix: 'string',
  passagePrefix: 'string',
  folder: 'string',
})

/** The beginning of the name of a folder that gets the copy of a model. */
const COPY = '.adding-'
/** The age of a copy, ms, after which the process that made it has ended: copying takes minutes at most. */
const MAX_COPY_MS = 24 * 60 * 60 * 1000
/** Largest README of a model that is searched for its license, bytes. */
const MAX_README_BYTES = 1024 * 1024

/**
 * Copies the files of a model into the folder of models, after the encoder has embedded a sentence with the copy, or scored some. A model
 * is either added whole or not at all. A `…ForSequenceClassification` with one score is a reranking model, and all others embeddings models.
 *
 * @param path - a jar with a known model; a folder with `model.safetensors` or `model.onnx`, `config.json` and `tokenizer.json`; or the
 *   file of the weights in such a folder.
 * @throws ASOF_MODEL_INVALID - a file is missing or damaged, the model is not supported, or another one has the name.
 * @throws ASOF_INVALID_OPTION
 */
export async function addModel(path: string, options?: AddModelOptions): Promise<AddedModel> {
  const {
    name: givenName,
    languages: givenLanguages,
    queryPrefix,
    passagePrefix,
    folder: givenFolder,
  } = readOptions(options)
  expectLanguages(givenLanguages)
  const { readModelFiles } = await import('@asof/encoder')
  const source = await folderOrArchive(path)
  const files = readModelFiles(source, { queryPrefix, passagePrefix })
  const { use, known, shape } = files
  const isScoring = shape.labels > 0
  if (shape.labels > 1)
    throw new AsofError(
      'ASOF_MODEL_INVALID',
      `the model sorts texts into ${shape.labels} classes: a reranking model has one score`,
    )
  const ofEmbeddings = { languages: givenLanguages, queryPrefix, passagePrefix }
  for (const [option, value] of Object.entries(ofEmbeddings))
    if (isScoring && value !== undefined) throw invalidOption(option, 'has no effect on a model that re-ranks results')
  const languages = givenLanguages ?? use.languages ?? knownLanguages(use.name) ?? true
  const name = givenName ?? known?.alias ?? nameFrom(use.name)
  const folder = modelsFolder(givenFolder)
  const target = folderOf(name, folder)
  await makeFolder(folder)
  await deleteOldCopies(folder)
  const made = await mkdtemp(join(folder, COPY))
  try {
    const license = known?.license ?? (await licenseIn(source))
    await copyFiles(files, made)
    const record = isScoring
      ? await rerankerRecordOf(files, made, { license })
      : await recordOf(files, made, { license, languages: languages === true ? undefined : [...languages] })
    await writeFile(recordFile(made), `${JSON.stringify(record, undefined, 2)}\n`)
    if (known && record.proof !== known.proof)
      throw new AsofError(
        'ASOF_MODEL_INVALID',
        `this machine computes other vectors of ${known.name} than every other machine`,
      )
    const isNew = await takePlace(made, target, { name, folder, record })
    return { name, record, path: target, isKnown: known !== undefined, isNew }
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/** @throws ASOF_INVALID_OPTION - there cannot be such a folder. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true })
  } catch (cause) {
    const message = `models cannot be kept in ${folder}: ${messageOf(cause)}`
    throw new AsofError('ASOF_INVALID_OPTION', message, { cause, details: { field: 'folder' } })
  }
}

/** Deletes what processes that were killed have left. */
async function deleteOldCopies(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(COPY)) continue
    const copy = join(folder, name)
    // Another process may delete its copy meanwhile.
    const found = await stat(copy).catch(() => undefined)
    if (found && Date.now() - found.mtimeMs > MAX_COPY_MS) await rm(copy, { recursive: true, force: true })
  }
}

/** Copies files into an empty folder. */
async function copyFiles({ weights, config, tokenizer }: ModelFiles, to: string): Promise<void> {
  for (const { name, bytes } of [weights, config, tokenizer]) await writeFile(join(to, name), bytes)
}

function recordedFiles({ weights, config, tokenizer }: ModelFiles): RecordedFile[] {
  return [weights, config, tokenizer].map(({ name, bytes, sha256 }) => ({ name, bytes: bytes.length, sha256 }))
}

/** Returns the record of what the encoder makes of a copy. */
async function recordOf(
  files: ModelFiles,
  copy: string,
  facts: Pick<ModelRecord, 'languages' | 'license'>,
): Promise<ModelRecord> {
  const { use, shape } = files
  const { name: model, pooling, queryPrefix, passagePrefix } = use
  const encoder = await openEncoder(copy, { model, pooling, queryPrefix, passagePrefix }, 1)
  try {
    return {
      model,
      identity: encoder.identity,
      architecture: shape.architecture,
      dimensions: encoder.dimensions,
      pooling,
      passageUnits: encoder.passageUnits,
      queryPrefix,
      passagePrefix,
      ...facts,
      files: recordedFiles(files),
      proof: await proofOf(encoder),
    }
  } finally {
    await encoder.close()
  }
}

/** Returns the record of what the encoder makes of the copy of a reranking model. */
async function rerankerRecordOf(
  files: ModelFiles,
  copy: string,
  facts: Pick<RerankerRecord, 'license'>,
): Promise<RerankerRecord> {
  const { use, shape } = files
  const encoder = await openCrossEncoder(copy, use.name, 1)
  try {
    return {
      kind: 'reranker',
      model: use.name,
      identity: encoder.identity,
      architecture: shape.architecture,
      ...facts,
      files: recordedFiles(files),
      proof: await proofOfScores(encoder),
    }
  } finally {
    await encoder.close()
  }
}

/** Moves a complete folder to its place. Returns false if the same model is there. @throws ASOF_MODEL_INVALID - another one is. */
async function takePlace(
  made: string,
  target: string,
  { name, folder, record }: { name: string; folder: string; record: AddedRecord },
): Promise<boolean> {
  try {
    await rename(made, target)
    return true
  } catch (cause) {
    const isThere = await stat(target).then(
      () => true,
      () => false,
    )
    if (!isThere) throw cause
    const before = recordBefore(name, folder)
    if (JSON.stringify(before) === JSON.stringify(record)) return false
    const found = before ? 'another model, or the same for other languages' : 'no model that can be used'
    const message = `${target} has ${found}: choose another name, or delete it first`
    throw new AsofError('ASOF_MODEL_INVALID', message, { cause })
  }
}

/** Returns the record of a model that was added before. Undefined if the model was not added, or its record is damaged. */
function recordBefore(name: string, folder: string): AddedRecord | undefined {
  try {
    return readAddedRecord(name, folder)
  } catch (error) {
    if (isAsofError(error, 'ASOF_MODEL_INVALID')) return undefined
    throw error
  }
}

/** Returns the archive or the folder of a model. @param path - also a file of weights in such a folder. */
async function folderOrArchive(path: string): Promise<string> {
  let found: Awaited<ReturnType<typeof stat>>
  try {
    found = await stat(path)
  } catch (cause) {
    const reason = isAbsence(cause) ? 'does not exist' : `cannot be read: ${messageOf(cause)}`
    throw new AsofError('ASOF_MODEL_INVALID', `${path} ${reason}`, { cause })
  }
  if (found.isDirectory() || ['.jar', '.zip'].includes(extname(path).toLowerCase())) return path
  if (['model.safetensors', 'model.onnx'].includes(basename(path))) return dirname(path)
  throw new AsofError(
    'ASOF_MODEL_INVALID',
    `${path} is no model: give a jar, a folder, or its file model.safetensors or model.onnx`,
  )
}

/** Returns a name for a model, made from its own, such as `all-minilm-l6-v2`. */
function nameFrom(model: string): string {
  return model
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 64)
    .replace(/[.]+$/, '')
}

/** Returns the license that the README of a model names in its front matter, as those on Hugging Face do. None if it cannot be read. */
async function licenseIn(source: string): Promise<string | undefined> {
  const readme = join(source, 'README.md')
  try {
    const found = await stat(readme)
    // Opening a pipe would wait until somebody writes into it.
    if (!found.isFile() || found.size > MAX_README_BYTES) return undefined
    const [front = ''] = /^---\n.*?\n---\n/s.exec((await readFile(readme, 'utf8')).replaceAll('\r\n', '\n')) ?? []
    return /^license: *['"]?([\w.+-]{1,64})['"]? *$/m.exec(front)?.[1]
  } catch {
    return undefined
  }
}
