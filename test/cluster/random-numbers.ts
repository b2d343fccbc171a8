/** Returns a function that gives pseudo-random integers from 0 to below `end`. They depend on the seed alone. */
export function randomNumbers(seed: number): (end: number) => number {
  let state = seed >>> 0
  return end => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * end)
  }
}
