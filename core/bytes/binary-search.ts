/** Returns the first index below `size` whose value is at least `target`, or `size` if all are less. `values` ascend. */
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

/** Returns the first index below `size` whose value is above `target`, or `size` if none is. `values` ascend. */
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

/** Where `holds` is true for the first indexes below `size` and false for the rest: returns the first false one, or `size`. */
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
