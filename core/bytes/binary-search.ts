/** Returns the first index below `size` with a value of at least `target`, or `size` if there is none. `values` ascend. */
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

/** Returns the first index below `size` with a value above `target`, or `size` if there is none. `values` ascend. */
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

/** Returns the first index below `size` for which `holds` is false, or `size` if there is none. It must be false for all later ones too. */
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
