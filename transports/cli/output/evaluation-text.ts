import {
  type EvaluatedMode,
  type Measures,
  meanMeasures,
  measureNames,
  type RankingComparison,
  type RankingMeasures,
  type RejectedQuery,
} from '../../../service/evaluate/index.ts'
import { printable } from '../../../service/index.ts'
import { joinItems } from './wrapped-text.ts'

/** What `asof evaluate` found out. */
export interface EvaluationReport {
  /** Name of the collection or the data folder. */
  name: string
  counts: { documents: number; queries: number; left_out: number }
  rankings: readonly RankingMeasures[]
  /** The id of each query, if the measures of each query are printed. */
  ids: readonly string[] | undefined
  comparisons: readonly RankingComparison[] | undefined
  rejections: ReadonlyMap<EvaluatedMode, readonly RejectedQuery[]>
  /** Paths of the run files that were written. */
  runs: readonly string[]
}

/** Returns the report as text: means, comparisons, then the measures of each query. */
export function evaluationText(report: EvaluationReport): string {
  const { rankings, ids, comparisons = [], runs } = report
  const means = rankings.map(({ name, measures }): Row => [name, meanMeasures(measures)])
  const perQuery = ids === undefined ? [] : rankings.map(ranking => measuresOfQueries(ranking, ids))
  const parts = [[heading(report)], measuresTable('', means), ...comparisons.map(comparisonTable), ...perQuery]
  if (runs.length > 0) parts.push(runs.map(path => `wrote ${path}`))
  return parts.map(lines => lines.join('\n')).join('\n\n')
}

function heading({ name, counts, rejections }: EvaluationReport): string {
  const facts = [`${counts.documents} documents`, `${counts.queries} queries`]
  if (counts.left_out > 0) facts.push(`${counts.left_out} without judgments left out`)
  for (const [mode, { length }] of rejections) facts.push(`${length} rejected in mode ${mode}, which count as 0`)
  return joinItems(facts, `${name}: `, '  ')
}

const NAME_COLUMNS = 10

/** Returns lines with a name and columns of numbers. */
function aligned(rows: readonly (readonly [name: string, cells: readonly string[]])[], width: number): string[] {
  const nameWidth = Math.max(NAME_COLUMNS, ...rows.map(([name]) => name.length + 1))
  return rows.map(([name, cells]) => name.padEnd(nameWidth) + cells.map(cell => cell.padStart(width)).join(''))
}

type Row = readonly [name: string, measures: Measures]

function measuresTable(title: string, rows: readonly Row[]): string[] {
  const cells = rows.map(([name, measures]) => [name, measureNames.map(each => measures[each].toFixed(4))] as const)
  return aligned([[title, measureNames], ...cells], 12)
}

function measuresOfQueries({ name, measures }: RankingMeasures, ids: readonly string[]): string[] {
  return measuresTable(
    name,
    measures.map((ofQuery, i) => [printable(ids[i] ?? ''), ofQuery]),
  )
}

function comparisonTable({ baseline, ranking, measures }: RankingComparison): string[] {
  const signed = (value: number) => `${value < 0 ? '' : '+'}${value.toFixed(4)}`
  const rows = measureNames.map(name => {
    const { difference, low, high, p, better, worse } = measures[name]
    return [name, [signed(difference), signed(low), signed(high), p.toFixed(5), String(better), String(worse)]] as const
  })
  const heads = ['difference', '95% from', 'to', 'p', 'better', 'worse']
  return [`${ranking} compared with ${baseline}`, ...aligned([['', heads], ...rows], 11)]
}
