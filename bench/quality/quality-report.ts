import { type MeasureName, type Measures, mean, measureNames } from '../../transports/cli/evaluate/ranking-measures.ts'
import type { Machine } from '../apparatus/machine.ts'
import type { FeedbackReplay } from './feedback-replay.ts'
import { parametersChosen } from './parameters-chosen.ts'
import { grid, gridName, standardPoint } from './quality-systems.ts'
import { FLIPS, randomizationTest } from './randomization-test.ts'

/** The measures of each system, query by query. */
export interface CollectionResult {
  name: string
  documents: number
  queries: number
  systems: Map<string, Measures[]>
}

export interface ReportFacts {
  machine: Machine
  /** Version of Lucene; `undefined` when it took no part. */
  lucene: string | undefined
  /** Names of the models that took part. */
  models: readonly string[]
  /** Suite and arguments of the run. */
  command: string
  replay?: FeedbackReplay
}

const HEADLINE: MeasureName = 'nDCG@10'

/** Other languages carry their code at the end of the name; they, and what is on every machine another, are left out of means. */
const isEnglish = ({ name }: CollectionResult): boolean => name !== 'known-items' && !/-(?!en$)[a-z]{2}$/.test(name)

/** The report of a run, in markdown. Means count each English collection once. */
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
  return [
    '# How good are the answers?',
    '',
    `Made by \`npm run bench -- ${command}\` on asof ${machine.commit}, Node ${machine.node}${lucene === undefined ? '; Lucene was not there' : `, Lucene (${lucene}, EnglishAnalyzer, title and text in one field)`}${models.length === 0 ? '' : `; models: ${models.join(', ')}`}.`,
    'Figures are of trec_eval\'s measures (linear gain). "tuned": k1 and b are those of a grid that do best on the mean of the other collections. Means count each of the English collections once; p is that of a paired randomization test over queries.',
    ...(english.length === 0
      ? []
      : ['', '## Mean over the English collections', '', meansTable(english, main, standard)]),
    '',
    `## ${HEADLINE} by collection`,
    '',
    byCollection(results, main),
    ...(ablations.length === 0 || english.length === 0
      ? []
      : [
          '',
          '## What each signal of pro is worth',
          '',
          'Scores without the part of one signal, over the same candidates; hosts and repeated pages as they are.',
          '',
          ablationTable(english, ablations),
        ]),
    ...(replay ? ['', "## Callers' feedback, each query as of its own time", '', replayTable(replay)] : []),
    '',
    parametersChosen,
  ].join('\n')
}

const tunedName = (base: string): string => `${base} tuned`

/** Adds the baseline with the point of the grid that does best on the other collections. */
function withTuned(result: CollectionResult, english: CollectionResult[], base: string): CollectionResult {
  const systems = new Map(result.systems)
  const others = english.filter(({ name }) => name !== result.name)
  const onOthers = (point: (typeof grid)[number]) =>
    mean((others.length > 0 ? others : [result]).map(other => meanOf(other, gridName(base, point), HEADLINE)))
  const best = grid.toSorted((x, y) => onOthers(y) - onOthers(x))[0]
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
  const p = randomizationTest(
    results.map(({ systems }) =>
      systems.get(one)!.map((measures, q) => measures[HEADLINE] - systems.get(other)![q][HEADLINE]),
    ),
  )
  return p <= 1 / (FLIPS + 1) ? `< ${(1 / FLIPS).toFixed(4)}` : p.toFixed(4)
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
  const heads = ['', ...measureNames, `of ${standard}`, 'of tuned', 'of realtime', 'worst collection', 'p, realtime']
  return markdownTable(heads, rows)
}

function replayTable({ queries, leftOut, systems }: FeedbackReplay): string {
  const rows = [...systems].map(([system, all]) => [
    system,
    ...measureNames.map(name => (queries === 0 ? '' : mean(all.map(measures => measures[name])).toFixed(4))),
  ])
  const table = markdownTable(['', ...measureNames], rows)
  return `${queries} queries; ${leftOut} topics have no query to ask.\n\n${table}`
}

function byCollection(results: CollectionResult[], systems: string[]): string {
  const rows = results.map(result => [
    result.name,
    String(result.queries),
    ...systems.map(system => meanOf(result, system, HEADLINE).toFixed(3)),
  ])
  return markdownTable(['', 'queries', ...systems], rows)
}

function ablationTable(english: CollectionResult[], ablations: string[]): string {
  const whole = macro(english, 'pro', HEADLINE)
  const rows = ablations.map(system => {
    const without = macro(english, system, HEADLINE)
    return [system, without.toFixed(4), (without - whole).toFixed(4), significance(english, 'pro', system)]
  })
  return markdownTable(['', HEADLINE, 'against pro', 'p'], rows)
}

function markdownTable(heads: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}
