/** Returns the index of the first of `size` ascending values that is at least `target`; `size` if all are lower. */
export function lowerBound(values: ArrayLike<number>, size: number, target: number): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle]! < target) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the index of the first of `size` ascending values that is greater than `target`; `size` if no value is. */
export function upperBound(values: ArrayLike<number>, size: number, target: number): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    if (values[middle]! <= target) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Returns the first index for which `holds` is false; `size` if it is true for all indexes below `size`.
 *
 * @param holds - true up to some index, and false from there on.
 */
export function partitionPoint(size: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = size
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) low = middle + 1
    else high = middle
  }
  return low
}
