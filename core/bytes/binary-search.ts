/** The first index in `[0, size)` of ascending `values` whose value is at least `target`; `size` if there is none. */
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

/** The first index in `[0, size)` of ascending `values` whose value is above `target`; `size` if there is none. */
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
