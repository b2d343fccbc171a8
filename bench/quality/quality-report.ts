import { randomizationTest } from '../../service/evaluate/randomization-test.ts'
import { type MeasureName, type Measures, mean, measureNames } from '../../service/evaluate/ranking-measures.ts'
import type { Machine } from '../apparatus/machine.ts'
import type { FeedbackReplay } from './feedback-replay.ts'
import { oramaHybrid } from './orama-hybrid.ts'
import { grid, gridName, plainLucene, standardPoint } from './quality-systems.ts'

/** The measures of each system, query by query. */
export interface CollectionResult {
  name: string
  documents: number
  queries: number
  systems: Map<string, Measures[]>
}

/** How a run was made. */
export interface ReportFacts {
  machine: Machine
  /** Version of Lucene; `undefined` if it was not measured. */
  lucene: string | undefined
  /** Names of the models that `pro` was measured with. */
  models: readonly string[]
  /** Name of the suite, and its arguments. */
  command: string
  replay?: FeedbackReplay
}

const HEADLINE: MeasureName = 'nDCG@10'

/**
 * Returns true if a collection counts in the means. Collections in other languages do not count; their names end with the code
 * of the language. The known items do not count either, because they differ from machine to machine.
 */
const isEnglish = ({ name }: CollectionResult): boolean => name !== 'known-items' && !/-(?!en$)[a-z]{2}$/.test(name)

/** Returns the report of a run in Markdown: one table, how it was made, then the details. */
export function qualityReport(
  all: readonly CollectionResult[],
  { machine, lucene, models, command, replay }: ReportFacts,
): string {
  const base = lucene === undefined ? 'plain BM25' : 'Lucene'
  const results = all.map(result => withTuned(result, all.filter(isEnglish), base))
  const english = results.filter(isEnglish)
  const names = systemNames(results, base)
  const ablations = names.filter(name => name.startsWith('pro without ') && name !== 'pro without feedback')
  const main = names.filter(name => !ablations.includes(name))
  const standard = gridName(base, standardPoint)
  const engines =
    lucene === undefined
      ? 'Lucene was not found'
      : `Lucene (${lucene}), EnglishAnalyzer, one field; "${plainLucene}" neither stems nor drops stop words`
  const lines = ['# Quality of the results', '']
  if (english.length === 0)
    lines.push(
      `${HEADLINE} of asof (\`realtime\`, \`pro\`) and other engines; higher is better.`,
      '',
      byCollection(results, main),
    )
  else
    lines.push(
      `How well asof (\`realtime\`, \`pro\`) ranks judged documents, beside other engines: means over ${english.length} English collection${english.length === 1 ? '' : 's'}, each counting once. Higher is better.`,
      '',
      meansTable(english, main, standard),
    )
  lines.push(
    '',
    `- **Command:** \`npm run bench -- ${command}\``,
    `- **Commit and machine:** asof ${machine.commit}; Node ${machine.node}, ${machine.processor}, ${machine.cores} cores, ${machine.system}`,
    `- **Other engines:** ${engines}; "plain BM25" is BM25 over asof's terms in one field. A name ends with k1/b; "tuned" takes the k1 and b of a grid of ${grid.length} that are best on the other collections.`,
  )
  if (names.includes(oramaHybrid.name)) lines.push(`- **${oramaHybrid.name}:** ${oramaHybrid.settings}`)
  if (models.length > 0) lines.push(`- **Models:** ${models.join(', ')}`)
  lines.push(
    `- **Method:** the measures of trec_eval, with linear gain. "÷" columns divide ${HEADLINE} by that of another system; "lowest ÷" is the worst single collection against ${standard}. p is that of a paired randomization test over queries, against \`realtime\`.`,
  )
  if (english.length > 0)
    lines.push(
      '',
      `## ${HEADLINE} by collection`,
      '',
      'Collections in other languages, and the known items made of installed packages, do not count in the means.',
      '',
      byCollection(results, main),
    )
  if (ablations.length > 0 && english.length > 0)
    lines.push(
      '',
      '## Contribution of each signal of `pro`',
      '',
      'The same candidates, re-scored without one signal. The limit per host and the removal of duplicates are unchanged.',
      '',
      ablationTable(english, ablations),
    )
  if (replay)
    lines.push(
      '',
      '## Feedback of callers',
      '',
      'Each query is searched as of the time of its judgment.',
      '',
      replayTable(replay),
    )
  return lines.join('\n')
}

const tunedName = (base: string): string => `${base} tuned`

/** Adds the tuned baseline: BM25 with the parameters that are best on the other collections. */
function withTuned(result: CollectionResult, english: CollectionResult[], base: string): CollectionResult {
  const systems = new Map(result.systems)
  const others = english.filter(({ name }) => name !== result.name)
  const onOthers = (point: (typeof grid)[number]) =>
    mean((others.length > 0 ? others : [result]).map(other => meanOf(other, gridName(base, point), HEADLINE)))
  const [best = standardPoint] = grid.toSorted((x, y) => onOthers(y) - onOthers(x))
  systems.set(tunedName(base), systems.get(gridName(base, best))!)
  return { ...result, systems }
}

function systemNames(results: readonly CollectionResult[], base: string): string[] {
  const points = new Set(grid.map(point => gridName(base, point)))
  const first = [gridName(base, standardPoint), tunedName(base)]
  const rest = new Set(results.flatMap(({ systems }) => [...systems.keys()]))
  return [...first, ...[...rest].filter(name => !first.includes(name) && !points.has(name))]
}

function meanOf({ systems }: CollectionResult, system: string, name: MeasureName): number {
  return mean(systems.get(system)!.map(measures => measures[name]))
}

const macro = (results: readonly CollectionResult[], system: string, name: MeasureName): number =>
  mean(results.map(result => meanOf(result, system, name)))

function significance(results: readonly CollectionResult[], one: string, other: string): string {
  // Each collection counts once, independent of its number of queries.
  const differences = results.flatMap(({ systems }) => {
    const ofOther = systems.get(other)!
    return systems.get(one)!.map((measures, q) => (measures[HEADLINE] - ofOther[q]![HEADLINE]) / ofOther.length)
  })
  const p = randomizationTest(differences)
  return p < 0.0001 ? '< 0.0001' : p.toFixed(4)
}

function meansTable(english: CollectionResult[], systems: string[], standard: string): string {
  const tuned = tunedName(standard.slice(0, standard.lastIndexOf(' ')))
  const rows = systems.map(system => {
    const of = (base: string) => (macro(english, system, HEADLINE) / macro(english, base, HEADLINE)).toFixed(3)
    const least = Math.min(
      ...english.map(result => meanOf(result, system, HEADLINE) / meanOf(result, standard, HEADLINE)),
    )
    return [
      system,
      ...measureNames.map(name => macro(english, system, name).toFixed(4)),
      of(standard),
      of(tuned),
      of('realtime'),
      least.toFixed(3),
      system === 'realtime' ? '' : significance(english, system, 'realtime'),
    ]
  })
  const heads = ['System', ...measureNames, `÷ ${standard}`, '÷ tuned', '÷ realtime', 'lowest ÷', 'p']
  return markdownTable(heads, rows)
}

function replayTable({ queries, leftOut, systems }: FeedbackReplay): string {
  const rows = [...systems].map(([system, all]) => [
    system,
    ...measureNames.map(name => (queries === 0 ? '' : mean(all.map(measures => measures[name])).toFixed(4))),
  ])
  const table = markdownTable(['System', ...measureNames], rows)
  return `${queries} queries; ${leftOut} topics were left out because their query is not stored.\n\n${table}`
}

function byCollection(results: CollectionResult[], systems: string[]): string {
  const rows = results.map(result => [
    result.name,
    String(result.queries),
    ...systems.map(system => meanOf(result, system, HEADLINE).toFixed(3)),
  ])
  return markdownTable(['Collection', 'Queries', ...systems], rows)
}

function ablationTable(english: CollectionResult[], ablations: string[]): string {
  const whole = macro(english, 'pro', HEADLINE)
  const rows = ablations.map(system => {
    const without = macro(english, system, HEADLINE)
    return [system, without.toFixed(4), (without - whole).toFixed(4), significance(english, 'pro', system)]
  })
  return markdownTable(['System', HEADLINE, 'Change', 'p'], rows)
}

function markdownTable(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}
