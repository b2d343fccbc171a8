import { mean } from '../../transports/cli/evaluate/ranking-measures.ts'
import { seededRandom } from '../apparatus/random.ts'

/** Sign flips drawn: the smallest p that can be seen is 1 / (FLIPS + 1). */
export const FLIPS = 5000

/**
 * The probability that two systems differ in mean by as much as they do when which of the two gave which answer is
 * chance: the paired randomization test (Smucker, Allan, Carterette, CIKM 2007), two-sided. Each collection counts once,
 * however many queries it has.
 *
 * @param differences - per collection, the difference of the two systems query by query.
 */
export function randomizationTest(differences: readonly (readonly number[])[], flips: number = FLIPS): number {
  const random = seededRandom(1, 0x52)
  const observed = Math.abs(mean(differences.map(mean))) - 1e-12
  let atLeast = 0
  for (let flip = 0; flip < flips; flip++) {
    let sum = 0
    for (const ofCollection of differences) {
      let total = 0
      for (const difference of ofCollection)
        if (difference !== 0) total += random.next() < 0.5 ? difference : -difference
      sum += total / ofCollection.length
    }
    if (Math.abs(sum / differences.length) >= observed) atLeast++
  }
  return (atLeast + 1) / (flips + 1)
}
