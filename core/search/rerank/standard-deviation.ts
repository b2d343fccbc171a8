/**
 * The population standard deviation. Reproducible: the same values in the same order give the same result. 0 for values that
 * differ by no more than the rounding error of their mean, because dividing by such a deviation would amplify that error.
 */
export function standardDeviation(values: ArrayLike<number>): number {
  let mean = 0
  for (let i = 0; i < values.length; i++) mean += values[i]!
  mean /= values.length
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += (values[i]! - mean) ** 2
  const deviation = Math.sqrt(squares / values.length)
  return deviation <= values.length * Number.EPSILON * Math.abs(mean) ? 0 : deviation
}
