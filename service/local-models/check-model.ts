import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { isAbsence, isAsofError, messageOf } from '@asof/extract/errors'
import { openEncoder } from './local-model.ts'
import { openCrossEncoder } from './local-reranker.ts'
import { type AddedRecord, folderOf, isReranker, type RecordedFile, readAddedRecord } from './model-record.ts'
import { proofOf, proofOfScores } from './proof.ts'

/**
 * Compares the files of a model with what was recorded when it was added, and the vector or the scores of test texts with those recorded.
 *
 * @param folder - the folder that has the models.
 * @returns what is wrong, in sentences without a period; nothing if the model can be used.
 * @throws ASOF_INVALID_OPTION - the name cannot be that of a model.
 */
export async function checkModel(name: string, folder: string): Promise<string[]> {
  try {
    const record = readAddedRecord(name, folder)
    const path = folderOf(name, folder)
    const faults = await Promise.all(record.files.map(file => faultOf(file, path)))
    const found = faults.filter(fault => fault !== undefined)
    if (found.length > 0) return found
    const { identity, proof } = await computedOf(record, path)
    if (identity !== record.identity)
      return ['this release of asof computes other numbers: delete the folder, add the model again, and run asof embed']
    return proof === record.proof ? [] : ['what the model makes of test texts differs from what was recorded']
  } catch (error) {
    if (isAsofError(error, 'ASOF_MODEL_INVALID')) return [error.message]
    throw error
  }
}

/** Returns the identity of a model, and the proof of what it makes of test texts on this machine. */
async function computedOf(record: AddedRecord, path: string): Promise<{ identity: string; proof: string }> {
  const encoder = isReranker(record)
    ? await openCrossEncoder(path, record.model, 1)
    : await openEncoder(path, record, 1)
  try {
    const proof = 'rerank' in encoder ? await proofOfScores(encoder) : await proofOf(encoder)
    return { identity: encoder.identity, proof }
  } finally {
    await encoder.close()
  }
}

async function faultOf({ name, sha256 }: RecordedFile, path: string): Promise<string | undefined> {
  const hash = createHash('sha256')
  const file = join(path, name)
  try {
    // Opening a pipe would wait until somebody writes into it.
    if (!(await stat(file)).isFile()) return `${name} is not a file`
    await pipeline(createReadStream(file), hash)
  } catch (cause) {
    return isAbsence(cause) ? `${name} is missing` : `${name} cannot be read: ${messageOf(cause)}`
  }
  return hash.digest('hex') === sha256 ? undefined : `${name} is not the file that was added: its SHA-256 differs`
}
