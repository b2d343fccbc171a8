import { constants, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { AsofError, invalidOption, isAbsence, isPlainObject, messageOf, optionsReader } from '@asof/extract/errors'

/** A file of a model. */
export interface RecordedFile {
  name: string
  bytes: number
  /** In hexadecimal. */
  sha256: string
}

/** What is recorded of an embeddings model in its folder. */
export interface ModelRecord {
  /** The name of the model in the identity of vectors, such as `all-MiniLM-L6-v2-q`. */
  model: string
  /** SHA-256 of everything that vectors depend on. */
  identity: string
  architecture: string
  dimensions: number
  pooling: 'mean' | 'cls'
  /** The number of UTF-16 units of a passage that are read. */
  passageUnits: number
  /** The languages that the model knows, as BCP 47 tags. Undefined: every language. */
  languages?: string[]
  /** Text before queries, and before passages. */
  queryPrefix: string
  passagePrefix: string
  /** An SPDX identifier. Undefined if the files do not name the license. */
  license?: string
  files: RecordedFile[]
  /** SHA-256 of the vector of the test sentence. */
  proof: string
}

/** What is recorded of a reranking model in its folder. The proof is of the scores of test texts. */
export interface RerankerRecord
  extends Pick<ModelRecord, 'model' | 'identity' | 'architecture' | 'license' | 'files' | 'proof'> {
  kind: 'reranker'
}

/** What is recorded of a model in its folder. */
export type AddedRecord = ModelRecord | RerankerRecord

/** The file in the folder of a model that has its record. It is written last. */
const RECORD_FILE = 'asof-model.json'
/** Also a name of a folder, on every system: Windows takes neither a dot at the end nor a name of a device. */
const NAME = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:[.]|$))[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9_-])?$/

const readFields = optionsReader<ModelRecord>(
  {
    model: 'string',
    identity: 'string',
    architecture: 'string',
    dimensions: 'number',
    pooling: 'string',
    passageUnits: 'number',
    languages: 'list',
    queryPrefix: 'string',
    passagePrefix: 'string',
    license: 'string',
    files: 'list',
    proof: 'string',
  },
  {
    required: [
      'model',
      'identity',
      'architecture',
      'dimensions',
      'pooling',
      'passageUnits',
      'queryPrefix',
      'passagePrefix',
      'files',
      'proof',
    ],
  },
)

const readRerankerFields = optionsReader<RerankerRecord>(
  {
    kind: 'string',
    model: 'string',
    identity: 'string',
    architecture: 'string',
    license: 'string',
    files: 'list',
    proof: 'string',
  },
  { required: ['kind', 'model', 'identity', 'architecture', 'files', 'proof'] },
)

/** True for the record of a model that re-ranks. */
export function isReranker(record: AddedRecord): record is RerankerRecord {
  return 'kind' in record
}

/**
 * Returns the folder that has the models of this machine.
 *
 * @param given - the folder that the caller names. Default: that of the variable ASOF_MODELS, else `.asof/models` in the home folder.
 * @throws ASOF_INVALID_OPTION - neither is given, and the user has no home folder.
 */
export function modelsFolder(given?: string): string {
  return resolve(given ?? (process.env.ASOF_MODELS || join(homeFolder(), '.asof', 'models')))
}

function homeFolder(): string {
  try {
    return homedir()
  } catch (cause) {
    // In some containers the system does not know the user.
    const message = 'this user has no home folder for models: set ASOF_MODELS to a folder'
    throw new AsofError('ASOF_INVALID_OPTION', message, { cause })
  }
}

/**
 * Returns the folder of a model.
 *
 * @throws ASOF_INVALID_OPTION - the name cannot be that of a model.
 */
export function folderOf(name: string, folder: string): string {
  if (NAME.test(name)) return join(folder, name)
  const message = `a model cannot have the name ${JSON.stringify(name)}: a name has 1 to 64 lower-case letters, digits, dots, dashes and underscores, such as minilm, and is not that of a device, such as con`
  throw new AsofError('ASOF_INVALID_OPTION', message, { details: { field: 'name' } })
}

/** Returns the names of the models in a folder, in ascending order. */
export function modelNames(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.flatMap(entry => (entry.isDirectory() && NAME.test(entry.name) ? [entry.name] : [])).sort()
  } catch (cause) {
    if (isAbsence(cause)) return []
    throw cause
  }
}

/**
 * Reads the record of an embeddings model.
 *
 * @throws ASOF_MODEL_INVALID - no model of this name was added, it re-ranks and makes no vectors, or its record is damaged.
 * @throws ASOF_INVALID_OPTION - the name cannot be that of a model.
 */
export function readModelRecord(name: string, folder: string): ModelRecord {
  const record = readAddedRecord(name, folder)
  if (!isReranker(record)) return record
  throw new AsofError('ASOF_MODEL_INVALID', `the model ${name} re-ranks results, and makes no vectors`)
}

/** Reads the record of a reranking model. Throws what {@link readModelRecord} does. */
export function readRerankerRecord(name: string, folder: string): RerankerRecord {
  const record = readAddedRecord(name, folder)
  if (isReranker(record)) return record
  throw new AsofError('ASOF_MODEL_INVALID', `the model ${name} makes vectors, and does not re-rank results`)
}

/**
 * Reads the record of a model of either kind.
 *
 * @throws ASOF_MODEL_INVALID - no model of this name was added, or its record is damaged.
 * @throws ASOF_INVALID_OPTION - the name cannot be that of a model.
 */
export function readAddedRecord(name: string, folder: string): AddedRecord {
  const file = recordFile(folderOf(name, folder))
  let text: string
  try {
    // Without the second flag, which Windows does not have, opening a pipe waits until somebody writes into it.
    const { O_RDONLY, O_NONBLOCK = 0 } = constants
    text = readFileSync(file, { encoding: 'utf8', flag: O_RDONLY | O_NONBLOCK })
  } catch (cause) {
    if (!isAbsence(cause))
      throw new AsofError('ASOF_MODEL_INVALID', `${file} cannot be read: ${messageOf(cause)}`, { cause })
    const others = modelNames(folder).filter(other => other !== name)
    const hint = others.length === 0 ? '' : ` The models there are ${others.join(', ')}.`
    const message = `there is no model ${name} in ${folder}. Add it by: asof model add FILE.${hint}`
    throw new AsofError('ASOF_MODEL_INVALID', message, { cause })
  }
  try {
    const record = readEitherFields(JSON.parse(text))
    if (!record.files.every(isRecordedFile)) throw new TypeError('files has something other than files')
    if (isReranker(record)) return record
    if (record.languages && !isLanguages(record.languages)) throw new TypeError('languages is not a list of languages')
    if (!['mean', 'cls'].includes(record.pooling)) throw new TypeError('pooling is neither mean nor cls')
    return record
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? 'it is not JSON' : messageOf(cause)
    const message = `${file} is damaged: ${reason}. Delete the folder, and add the model again`
    throw new AsofError('ASOF_MODEL_INVALID', message, { cause })
  }
}

/** Checks the names and types of the fields of a record. @throws ASOF_INVALID_OPTION */
function readEitherFields(parsed: unknown): AddedRecord {
  const kind = isPlainObject(parsed) ? parsed.kind : undefined
  if (kind === undefined) return readFields(parsed as ModelRecord)
  if (kind !== 'reranker') throw new TypeError('kind is not reranker')
  return readRerankerFields(parsed as RerankerRecord)
}

/** Returns the file that has the record of the model in a folder. */
export function recordFile(modelFolder: string): string {
  return join(modelFolder, RECORD_FILE)
}

/**
 * Checks the languages that a caller gives for a model.
 *
 * @throws ASOF_INVALID_OPTION
 */
export function expectLanguages(languages: true | readonly unknown[] | undefined): void {
  if (Array.isArray(languages) && !isLanguages(languages))
    throw invalidOption('languages', 'must be true or a list of at least one BCP 47 tag, such as en')
}

/** True for a list of BCP 47 tags that is not empty. */
function isLanguages(tags: readonly unknown[]): boolean {
  try {
    return tags.length > 0 && tags.every(tag => typeof tag === 'string' && Intl.getCanonicalLocales(tag).length === 1)
  } catch {
    return false
  }
}

/** True for what a record says of a file. It must not lead out of the folder of the model. */
function isRecordedFile(value: unknown): boolean {
  if (!isPlainObject(value)) return false
  const { name, bytes, sha256 } = value
  return (
    typeof name === 'string' &&
    /^[a-z]+[.][a-z]+$/.test(name) &&
    typeof bytes === 'number' &&
    typeof sha256 === 'string'
  )
}
