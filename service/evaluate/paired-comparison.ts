import { randomBits } from './random-bits.ts'
import { randomizationTest } from './randomization-test.ts'
import { type MeasureName, type Measures, mean, measureNames } from './ranking-measures.ts'

/** What the values of one measure for the same queries say of two rankings. */
export interface PairedComparison {
  /** Mean of the first ranking. */
  baseline: number
  /** Mean of the second ranking. */
  mean: number
  /** `mean` minus `baseline`. */
  difference: number
  /** The ends of the 95% interval of the difference, from a percentile bootstrap over queries. */
  low: number
  high: number
  /** The p-value of {@link randomizationTest}. */
  p: number
  /** Number of queries that the second ranking answers better. */
  better: number
  /** Number of queries that the second ranking answers worse. */
  worse: number
}

const RESAMPLES = 10_000
const CONFIDENCE = 0.95
/** Separates the draws of the bootstrap from those of the test. */
const STREAM = 0x42

/**
 * Compares two rankings by a measure of each query.
 *
 * @param first - at least one value.
 * @param second - the values of the same queries, in the same order.
 */
export function comparePaired(first: readonly number[], second: readonly number[]): PairedComparison {
  const differences = second.map((value, i) => value - (first[i] ?? 0))
  const [low, high] = bootstrapInterval(differences)
  return {
    baseline: mean(first),
    mean: mean(second),
    difference: mean(differences),
    low,
    high,
    p: randomizationTest(differences),
    better: differences.filter(difference => difference > 0).length,
    worse: differences.filter(difference => difference < 0).length,
  }
}

function bootstrapInterval(differences: readonly number[]): [low: number, high: number] {
  const random = randomBits(1, STREAM)
  const { length } = differences
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0
    for (let i = 0; i < length; i++) sum += differences[Math.floor((random() / 2 ** 32) * length)] ?? 0
    return sum / length
  }).sort()
  const outside = Math.round(((1 - CONFIDENCE) / 2) * RESAMPLES)
  return [means[outside] ?? 0, means[RESAMPLES - 1 - outside] ?? 0]
}

/** The measures of each query in one ranking. */
export interface RankingMeasures {
  name: string
  measures: Measures[]
}

/** What the measures of the same queries say of two rankings. */
export interface RankingComparison {
  /** Name of the ranking that the other one is compared with. */
  baseline: string
  ranking: string
  measures: Record<MeasureName, PairedComparison>
}

/** Compares each ranking with the first one. All have the same queries in the same order. */
export function compareRankings([first, ...others]: readonly RankingMeasures[]): RankingComparison[] {
  if (!first) return []
  const valuesOf = ({ measures }: RankingMeasures, name: MeasureName) => measures.map(ofQuery => ofQuery[name])
  return others.map(other => {
    const compared = measureNames.map(name => [name, comparePaired(valuesOf(first, name), valuesOf(other, name))])
    const measures = Object.fromEntries(compared) as Record<MeasureName, PairedComparison>
    return { baseline: first.name, ranking: other.name, measures }
  })
}
