/** The grade of each judged document for one query, by document id. Grades above 0 mean relevant. */
export type Grades = ReadonlyMap<string, number>

export const measureNames = ['nDCG@10', 'MAP', 'MRR@10', 'Recall@100', 'success@1'] as const
export type MeasureName = (typeof measureNames)[number]
export type Measures = Record<MeasureName, number>

/** Maximum number of ranks that a measure uses, as in trec_eval. */
export const DEPTH = 1000

/**
 * Computes the measures of one ranking, defined as in trec_eval: nDCG with linear gain and log2 discount, average
 * precision over the first {@link DEPTH} ranks, reciprocal rank over the first 10. Documents without a judgment count
 * as not relevant.
 *
 * @param ranking - distinct document ids, best first.
 * @param grades - at least one grade above 0.
 */
export function measure(ranking: readonly string[], grades: Grades): Measures {
  const relevant = [...grades.values()].filter(grade => grade > 0)
  const gains = ranking.slice(0, DEPTH).map(id => Math.max(0, grades.get(id) ?? 0))
  let found = 0
  let precisions = 0
  gains.forEach((gain, i) => {
    if (gain > 0) precisions += ++found / (i + 1)
  })
  const first = gains.slice(0, 10).findIndex(gain => gain > 0)
  return {
    'nDCG@10': discountedGain(gains.slice(0, 10)) / discountedGain(relevant.toSorted((a, b) => b - a).slice(0, 10)),
    MAP: precisions / relevant.length,
    'MRR@10': first < 0 ? 0 : 1 / (first + 1),
    'Recall@100': gains.slice(0, 100).filter(gain => gain > 0).length / relevant.length,
    'success@1': (gains[0] ?? 0) > 0 ? 1 : 0,
  }
}

function discountedGain(gains: readonly number[]): number {
  return gains.reduce((sum, gain, i) => sum + gain / Math.log2(i + 2), 0)
}

/** Returns the arithmetic mean; NaN for an empty list. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Returns the mean of each measure over all queries. */
export function meanMeasures(ofQueries: readonly Measures[]): Measures {
  const entries = measureNames.map(name => [name, mean(ofQueries.map(measures => measures[name]))])
  return Object.fromEntries(entries) as Measures
}
