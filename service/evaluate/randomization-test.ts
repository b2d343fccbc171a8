import { randomBits } from './random-bits.ts'

/** Number of random exchanges. The smallest possible p is 1 / (PERMUTATIONS + 1). */
const PERMUTATIONS = 100_000

/** Separates the draws of this test from others with the same seed. */
const STREAM = 0x52

/**
 * Two-sided paired randomization test (Smucker, Allan, Carterette, CIKM 2007). Returns the probability of a sum of differences at least
 * as far from 0 as the observed one if chance decided which of two systems produced which result.
 *
 * @param differences - the difference between the two systems for each query, possibly with a weight.
 */
export function randomizationTest(
  differences: readonly number[],
  { permutations = PERMUTATIONS, seed = 1 }: { permutations?: number; seed?: number } = {},
): number {
  const changed = differences.filter(difference => difference !== 0)
  // A random byte gives signs to eight differences, whose sum is in a table.
  const tables: Float64Array[] = []
  for (let from = 0; from < changed.length; from += 8) tables.push(signedSums(changed.slice(from, from + 8)))
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  // Sums of the same numbers in another order differ by rounding.
  const observed = Math.abs(sum(changed)) - 1e-12 * sum(changed.map(Math.abs))
  const random = randomBits(seed, STREAM)
  let asFar = 0
  for (let i = 0; i < permutations; i++) {
    let total = 0
    let bits = 0
    for (let t = 0; t < tables.length; t++) {
      bits = t % 4 === 0 ? random() : bits >>> 8
      total += tables[t]?.[bits & 0xff] ?? 0
    }
    if (Math.abs(total) >= observed) asFar++
  }
  return (asFar + 1) / (permutations + 1)
}

/** Returns for each byte the sum of up to eight differences, each negated where its bit is 1. */
function signedSums(differences: readonly number[]): Float64Array {
  return Float64Array.from({ length: 256 }, (_, signs) =>
    differences.reduce((sum, difference, bit) => sum + ((signs >> bit) & 1 ? -difference : difference), 0),
  )
}
