import { AsofError } from '@asof/extract/errors'

/** An embeddings model that computed vectors in the store. */
export interface StoredModel {
  /** The number of the model in the keys of its vectors. */
  id: number
  /** The unique name of the model, see `Embedder.model`. */
  model: string
  /** Number of dimensions of the vectors. */
  dimensions: number
  /** Number of captures that have a vector of this model. */
  vectors: number
  /** Number of vectors that were written later than their capture. Such vectors may change answers as of the past. */
  late: number
}

const VERSION = 1

/** Encodes the list of models as versioned JSON. */
export function encodeModels(models: readonly StoredModel[]): Uint8Array {
  return Buffer.from(JSON.stringify({ version: VERSION, models }))
}

/**
 * @throws ASOF_STORE_CORRUPT, ASOF_STORE_FORMAT
 */
export function decodeModels(bytes: Uint8Array): StoredModel[] {
  let record: { version?: unknown; models?: unknown }
  try {
    record = JSON.parse(Buffer.from(bytes).toString()) as typeof record
  } catch (cause) {
    throw new AsofError('ASOF_STORE_CORRUPT', 'the list of models is not JSON', { cause })
  }
  if (typeof record?.version === 'number' && record.version > VERSION)
    throw new AsofError('ASOF_STORE_FORMAT', `the list of models has version ${record.version}: upgrade asof`)
  if (record?.version !== VERSION || !Array.isArray(record.models) || !record.models.every(isModel))
    throw new AsofError('ASOF_STORE_CORRUPT', 'the list of models has an entry of another form')
  return record.models
}

function isModel(value: unknown): value is StoredModel {
  const { id, model, dimensions, vectors, late } = (value ?? {}) as Record<string, unknown>
  const counts = [id, dimensions, vectors, late]
  return typeof model === 'string' && counts.every(count => Number.isSafeInteger(count) && (count as number) >= 0)
}

/** Encodes a vector: version, then a signed byte for each dimension. */
export function encodeVector(vector: Int8Array): Uint8Array {
  const bytes = new Uint8Array(1 + vector.length)
  bytes[0] = VERSION
  bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.length), 1)
  return bytes
}

/**
 * Decodes a vector, as a view of the stored bytes.
 *
 * @throws ASOF_STORE_CORRUPT, ASOF_STORE_FORMAT
 */
export function decodeVector(bytes: Uint8Array): Int8Array {
  if (bytes[0] !== VERSION || bytes.length < 2) {
    if (bytes.length > 0 && bytes[0]! > VERSION)
      throw new AsofError('ASOF_STORE_FORMAT', `a vector has version ${bytes[0]}: upgrade asof`)
    throw new AsofError('ASOF_STORE_CORRUPT', 'a vector has no version or no numbers')
  }
  return new Int8Array(bytes.buffer, bytes.byteOffset + 1, bytes.length - 1)
}
