import { mean } from '../../service/evaluate/ranking-measures.ts'
import { seededRandom } from '../apparatus/random.ts'

/** Number of random sign flips. The smallest possible p is 1 / (FLIPS + 1). */
export const FLIPS = 5000

/**
 * Two-sided paired randomization test (Smucker, Allan, Carterette, CIKM 2007). Returns the probability of a mean difference at least
 * as large as the observed one if chance decided which system produced which result. Each collection counts once, independent of
 * its number of queries.
 *
 * @param differences - per collection, the difference between the two systems for each query.
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
