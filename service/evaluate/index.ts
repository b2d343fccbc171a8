/** Measures a ranking against judged queries, as `asof evaluate` does. */
export { CollectionError } from './collection-error.ts'
export { type EvaluatedMode, evaluate, type RejectedQuery } from './evaluation.ts'
export { JudgedCollection } from './judged-collection.ts'
export { type JudgedQueries, readJudgedQueries } from './judged-queries.ts'
export { plainQuery } from './plain-query.ts'
export { type Measures, meanMeasures, measureNames } from './ranking-measures.ts'
export { TrecRun } from './trec-run.ts'
