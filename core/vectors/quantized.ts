import { AsofError } from '@asof/extract/errors'

export const MAX_DIMENSIONS = 8192
const LARGEST = 127

/**
 * Converts a vector to signed bytes, scaled so that the largest absolute value is 127. This changes the cosine of two
 * vectors by a few thousandths, far less than the difference between models.
 *
 * @throws ASOF_MODEL_FAILED - the vector is empty, zero, not all finite numbers, or has too many dimensions.
 */
export function quantize(vector: ArrayLike<number>): Int8Array {
  let largest = 0
  for (let i = 0; i < vector.length; i++) {
    const size = Math.abs(vector[i]!)
    // This form of the comparison also rejects NaN.
    if (!(size <= Number.MAX_VALUE)) throw unusable('contains a value that is not a finite number')
    if (size > largest) largest = size
  }
  if (vector.length > MAX_DIMENSIONS) throw unusable(`has over ${MAX_DIMENSIONS} dimensions`)
  if (largest === 0) throw unusable('is zero')
  return Int8Array.from(vector, value => Math.round((value / largest) * LARGEST))
}

/** Returns 1 / length of a quantized vector. The length is never zero. */
export function inverseLength(vector: Int8Array): number {
  return 1 / Math.sqrt(product(vector, vector, 0))
}

/**
 * Returns the inner product of a vector and the row at offset `from`. It is an exact integer, whatever the order of
 * additions.
 *
 * @param first - Only the components from this one to before `last` are multiplied; that of the row at `from` is this one. Default: all.
 */
export function product(
  vector: Int8Array,
  rows: Int8Array,
  from: number,
  first: number = 0,
  last: number = vector.length,
): number {
  // Four independent sums take half the time of one.
  const end = first + ((last - first) & ~3)
  const shift = from - first
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let i = first; i < end; i += 4) {
    const at = shift + i
    a = (a + Math.imul(vector[i]!, rows[at]!)) | 0
    b = (b + Math.imul(vector[i + 1]!, rows[at + 1]!)) | 0
    c = (c + Math.imul(vector[i + 2]!, rows[at + 2]!)) | 0
    d = (d + Math.imul(vector[i + 3]!, rows[at + 3]!)) | 0
  }
  for (let i = end; i < last; i++) a = (a + Math.imul(vector[i]!, rows[shift + i]!)) | 0
  return a + b + c + d
}

function unusable(what: string): AsofError {
  return new AsofError('ASOF_MODEL_FAILED', `a vector of the embeddings model ${what}`)
}
