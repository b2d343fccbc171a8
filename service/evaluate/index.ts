/** Measures a ranking against judged queries, as `asof evaluate` does. */
export { CollectionError } from './collection-error.ts'
export { type EvaluatedMode, evaluate, evaluateRun, type RejectedQuery } from './evaluation.ts'
export { JudgedCollection } from './judged-collection.ts'
export { type JudgedQueries, readJudgedQueries } from './judged-queries.ts'
export { compareRankings, type RankingComparison, type RankingMeasures } from './paired-comparison.ts'
export { plainQuery } from './plain-query.ts'
export { type Measures, meanMeasures, measureNames } from './ranking-measures.ts'
export { readTrecRun, TrecRun } from './trec-run.ts'
