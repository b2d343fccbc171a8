import { AsofError } from '../../errors.ts'

/** A model that vectors in the store are of. */
export interface StoredModel {
  /** In the keys of its vectors. */
  id: number
  /** What tells it from every other: see `Embedder.model`. */
  model: string
  /** Numbers in each of its vectors. */
  dimensions: number
  /** Captures that have a vector of it. */
  vectors: number
  /** Vectors of it that were ever written after their capture: they may change what an answer as of the past says. */
  late: number
}

const VERSION = 1

/** The list of models: versioned JSON. */
export function encodeModels(models: readonly StoredModel[]): Uint8Array {
  return Buffer.from(JSON.stringify({ version: VERSION, models }))
}

/**
 * @throws ASOF_STORE_CORRUPT, ASOF_STORE_NEWER
 */
export function decodeModels(bytes: Uint8Array): StoredModel[] {
  let record: { version?: unknown; models?: unknown }
  try {
    record = JSON.parse(Buffer.from(bytes).toString()) as typeof record
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', 'the list of models is not JSON', { cause })
  }
  if (typeof record?.version === 'number' && record.version > VERSION)
    throw new AsofError('ASOF_STORE_NEWER', `the list of models has version ${record.version}: upgrade asof`)
  if (record?.version !== VERSION || !Array.isArray(record.models) || !record.models.every(isModel))
    throw new AsofError('ASOF_STORE_CORRUPT', 'the list of models has something else in it')
  return record.models
}

function isModel(value: unknown): value is StoredModel {
  const { id, model, dimensions, vectors, late } = (value ?? {}) as Record<string, unknown>
  const counts = [id, dimensions, vectors, late]
  return typeof model === 'string' && counts.every(count => Number.isSafeInteger(count) && (count as number) >= 0)
}

/** A vector: version, then a signed byte for each number. */
export function encodeVector(vector: Int8Array): Uint8Array {
  const bytes = new Uint8Array(1 + vector.length)
  bytes[0] = VERSION
  bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.length), 1)
  return bytes
}

/**
 * The vector, as a view of what is stored.
 *
 * @throws ASOF_STORE_CORRUPT, ASOF_STORE_NEWER
 */
export function decodeVector(bytes: Uint8Array): Int8Array {
  if (bytes[0] !== VERSION || bytes.length < 2) {
    if (bytes.length > 0 && bytes[0]! > VERSION)
      throw new AsofError('ASOF_STORE_NEWER', `a vector has version ${bytes[0]}: upgrade asof`)
    throw new AsofError('ASOF_STORE_CORRUPT', 'a vector has no version or no numbers')
  }
  return new Int8Array(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1)
}
