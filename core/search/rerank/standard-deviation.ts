/** The population standard deviation. Reproducible: the same values in the same order give the same result. */
export function standardDeviation(values: ArrayLike<number>): number {
  let mean = 0
  for (let i = 0; i < values.length; i++) mean += values[i]!
  mean /= values.length
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i]! - mean) ** 2
  return Math.sqrt(squares / values.length)
}
