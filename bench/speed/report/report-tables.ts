import { MAX_BATCH_CHARS } from '../../apparatus/page-file.ts'
import { count, megabytes, milliseconds } from '../../apparatus/text-table.ts'
import type { EngineName } from '../../engines/engine.ts'
import { type LaneName, laneAbout, laneNames } from '../../questions/question.ts'
import type { LaneFigures, Times } from '../studies/ask-by-turns.ts'
import type { HtmlFigures } from '../studies/html-study.ts'
import type { SizeReport, SpeedReport } from './speed-report.ts'

/** A table of the report, for both the text and the HTML page. */
export interface ReportTable {
  title: string
  notes: string[]
  heads: string[]
  rows: string[][]
}

/** Returns the machine, the method and the settings of each engine, one line each. */
export function settingsOf({ machine, queries, rounds, batch, settings }: SpeedReport): [name: string, text: string][] {
  const { processor, cores, memoryBytes, system, node, commit } = machine
  return [
    [
      'machine',
      `${processor}, ${cores} cores, ${count(memoryBytes / 1e9)} GB; ${system}; Node ${node}${commit && `; asof at ${commit}`}`,
    ],
    [
      'queries',
      `${queries} per lane, from words to ids, one at a time, engines by turns; one round to warm up, ${rounds} timed; percentiles over the best round of each query; spread: lowest–highest p50 of a single round`,
    ],
    [
      'adding',
      `up to ${count(batch)} pages or ${count(MAX_BATCH_CHARS / 1e6)} million characters per call; reading the pages is not timed`,
    ],
    ...Object.entries(settings),
  ]
}

/** Returns the description of the corpus of one size, without the number of pages. */
export function corpusLine({ about, corpus }: SizeReport): string {
  const { pages, bytes, counted, words, distinct, hosts, dated } = corpus
  const where = counted < pages ? ` in ${count(counted)} of them` : ''
  return `${about}; mean ${count(words / counted)} words, ${count(distinct)} different ones${where}, ${megabytes(bytes)} MB of text, ${count(hosts)} hosts, ${count(dated)} dated`
}

/** Returns the tables of one size, without those that were not measured. */
export function tablesOf(size: SizeReport): ReportTable[] {
  const made = [glance, indexing, lanes, serving, steps, throughput, merge].map(table => table(size))
  return made.filter(table => table.rows.length > 0)
}

/** Lanes of the most important figures. */
const glanced: readonly LaneName[] = ['or10', 'or100', 'and', 'phrase', 'results', 'answers']

/** Returns the most important figures, one line per engine. */
function glance({ indexing, lanes, serving }: SizeReport): ReportTable {
  const cpuOf = (engine: EngineName, lane: LaneName) => {
    const cpu = lanes.find(one => one.engine === engine && one.lane === lane)?.cpu
    return cpu ? `${milliseconds(cpu.p50Ms)} / ${milliseconds(cpu.p95Ms)}` : '–'
  }
  return {
    title: 'At a glance',
    notes: ['Queries: CPU p50 / p95, milliseconds.'],
    heads: ['engine', ...glanced, 'pages/s', 'disk MB', 'without text', 'peak MB indexing', 'MB serving'],
    rows: indexing.map(one => [
      one.engine,
      ...glanced.map(lane => cpuOf(one.engine, lane)),
      count((one.pages / one.addMs) * 1000),
      orDash(one.diskBytes, megabytes),
      orDash(one.indexBytes, megabytes),
      orDash(one.memory?.peakBytes, megabytes),
      orDash(serving.find(other => other.engine === one.engine)?.memory?.residentBytes, megabytes),
    ]),
  }
}

function indexing({ indexing }: SizeReport): ReportTable {
  return {
    title: 'Indexing',
    notes: [
      '"settled s later": seconds until background merges ended after the last page. CPU time is of all threads.',
    ],
    heads: [
      'engine',
      'pages',
      'pages/s',
      'slowest–fastest batch',
      'settled s later',
      'CPU s',
      'pages/CPU s',
      'disk MB',
      'without text',
      'peak MB',
    ],
    rows: indexing.map(one => [
      one.engine + (one.kept ? ' (kept)' : ''),
      count(one.pages),
      count((one.pages / one.addMs) * 1000),
      `${count(1e9 / one.slowestNsPerPage)}–${count(1e9 / one.fastestNsPerPage)}`,
      (one.settleMs / 1000).toFixed(1),
      (one.cpuMs / 1000).toFixed(1),
      count((one.pages / one.cpuMs) * 1000),
      orDash(one.diskBytes, megabytes),
      orDash(one.indexBytes, megabytes),
      orDash(one.memory?.peakBytes, megabytes),
    ]),
  }
}

function lanes({ lanes }: SizeReport): ReportTable {
  const asked = laneNames.filter(lane => lanes.some(one => one.lane === lane))
  return {
    title: 'Queries, milliseconds',
    notes: [
      'to or10: p50 and p95 of CPU time, divided by those of the same engine in lane or10; found: mean number of results; agree: mean share of the results of asof that this engine found.',
      ...asked.map(lane => `${lane}: ${laneAbout[lane]}`),
    ],
    heads: [
      'lane',
      'engine',
      'CPU p50',
      'p95',
      'p99',
      'spread',
      'to or10',
      'wall p50',
      'p95',
      'p99',
      'spread',
      'found',
      'agree',
    ],
    rows: asked.flatMap(lane =>
      lanes.filter(one => one.lane === lane).map((one, i) => [i === 0 ? lane : '', ...laneRow(one, lanes)]),
    ),
  }
}

function laneRow({ lane, engine, cpu, wall, found, agreement }: LaneFigures, lanes: LaneFigures[]): string[] {
  const base = lanes.find(one => one.lane === 'or10' && one.engine === engine)
  return [
    engine,
    milliseconds(cpu.p50Ms),
    milliseconds(cpu.p95Ms),
    milliseconds(cpu.p99Ms),
    spread(cpu),
    base && lane !== 'or10' ? `×${ratio(cpu.p50Ms, base.cpu.p50Ms)} ×${ratio(cpu.p95Ms, base.cpu.p95Ms)}` : '',
    milliseconds(wall.p50Ms),
    milliseconds(wall.p95Ms),
    milliseconds(wall.p99Ms),
    spread(wall),
    found.toFixed(1),
    engine === 'asof' || agreement === undefined ? '' : `${(agreement * 100).toFixed(0)} %`,
  ]
}

function serving({ serving }: SizeReport): ReportTable {
  return {
    title: 'Serving',
    notes: [
      'First answer: time to open the index and answer one query in a fresh process, with its files in the file cache.',
      'Memory is measured after all lanes; the system may evict mapped files.',
    ],
    heads: ['engine', 'first answer ms', 'resident MB', 'anonymous', 'mapped files', 'peak MB'],
    rows: serving.map(({ engine, firstAnswerMs, memory }) => [
      engine,
      orDash(firstAnswerMs, milliseconds),
      orDash(memory?.residentBytes, megabytes),
      orDash(memory?.anonymousBytes, megabytes),
      orDash(memory?.fileBytes, megabytes),
      orDash(memory?.peakBytes, megabytes),
    ]),
  }
}

function steps({ steps = [] }: SizeReport): ReportTable {
  return {
    title: 'Steps of answers',
    notes: [
      'asof, as explain reports them; the best of three rounds for each query.',
      'to ids: parse, statistics and topK together, the part that Lucene and tantivy are measured by; titles: reading titles and URLs of ten results; snippets: ten of 600 characters.',
    ],
    heads: ['lane', 'step', 'wall p50 ms', 'p95', 'share'],
    rows: steps.map(({ lane, step, p50Ms, p95Ms, share }, i) => [
      steps[i - 1]?.lane === lane ? '' : lane,
      step,
      milliseconds(p50Ms),
      milliseconds(p95Ms),
      `${(share * 100).toFixed(0)} %`,
    ]),
  }
}

function throughput({ throughput = [] }: SizeReport): ReportTable {
  return {
    title: 'Throughput',
    notes: [
      'Threads: number of search threads; caller: the calling thread. The best of three rounds, each in a fresh process.',
    ],
    heads: ['engine', 'asked', 'threads', 'answers/s', 'to one thread', 'worst round', 'loop delay p99 ms'],
    rows: throughput.map(({ engine, asked, threads, bestRate, worstRate, loopDelayP99Ms }) => {
      const one = throughput.find(other => other.engine === engine && other.asked === asked && other.threads === 1)
      return [
        engine,
        asked,
        threads === 0 ? 'caller' : String(threads),
        count(bestRate),
        one && threads !== 1 ? `×${ratio(bestRate, one.bestRate)}` : '',
        count(worstRate),
        orDash(loopDelayP99Ms, milliseconds),
      ]
    }),
  }
}

function merge({ merge }: SizeReport): ReportTable {
  const heads = ['or10', 'queries', 'wall p50 ms', 'p95', 'p99', 'max']
  const title = 'While merging'
  if (!merge) return { title, notes: [], heads, rows: [] }
  const { segments, mergeSeconds, idle, merging, bytesBefore, bytesMost, bytesAfter } = merge
  return {
    title,
    notes: [
      `asof while ${segments + 1} segments become one in ${mergeSeconds.toFixed(1)} s; all queries count, not the best of rounds; p99 ×${ratio(merging.p99Ms, idle.p99Ms)}.`,
      `${megabytes(bytesBefore)} MB on disk before, ${megabytes(bytesMost)} at the peak, ${megabytes(bytesAfter)} after.`,
    ],
    heads,
    rows: Object.entries({ idle, merging }).map(([name, { queries, p50Ms, p95Ms, p99Ms, maxMs }]) => [
      name,
      count(queries),
      ...[p50Ms, p95Ms, p99Ms, maxMs].map(milliseconds),
    ]),
  }
}

/** Returns the table of the study `html`. */
export function htmlInTable({ pages, bytes, failed, steps }: HtmlFigures): ReportTable {
  return {
    title: 'Indexing HTML',
    notes: [`asof; ${count(pages)} real pages, ${megabytes(bytes)} MB of HTML; ${count(failed)} could not be added.`],
    heads: ['step', 'pages/s', 'pages/CPU s', 'MB of HTML/s', 'CPU s'],
    rows: steps.map(({ name, ms, cpuMs }) => [
      name,
      count((pages / ms) * 1000),
      count((pages / cpuMs) * 1000),
      (bytes / 1e3 / ms).toFixed(1),
      (cpuMs / 1000).toFixed(1),
    ]),
  }
}

/** Returns the figures of each engine at each size; no rows for a single size. */
export function growthTable({ sizes }: SpeedReport): ReportTable {
  const engines = [...new Set(sizes.flatMap(size => size.indexing.map(({ engine }) => engine)))]
  const rows = engines.flatMap(engine =>
    sizes.flatMap(({ corpus, indexing, lanes, serving }) => {
      const built = indexing.find(one => one.engine === engine)
      if (!built) return []
      const asked = (['or10', 'and', 'phrase', 'answers'] as const).map(
        lane => lanes.find(one => one.lane === lane && one.engine === engine)?.cpu,
      )
      const served = serving.find(one => one.engine === engine)
      return [
        [
          engine,
          count(corpus.pages),
          count((built.pages / built.addMs) * 1000),
          count((built.pages / built.cpuMs) * 1000),
          orDash(built.diskBytes, bytes => count(bytes / built.pages)),
          orDash(built.memory?.peakBytes, megabytes),
          orDash(served?.memory?.residentBytes, megabytes),
          orDash(served?.firstAnswerMs, milliseconds),
          ...asked.map(times => (times ? `${milliseconds(times.p50Ms)} / ${milliseconds(times.p95Ms)}` : '–')),
        ],
      ]
    }),
  )
  return {
    title: 'Growth',
    notes: ['Queries: CPU p50 / p95, milliseconds.'],
    heads: [
      'engine',
      'pages',
      'pages/s',
      'pages/CPU s',
      'disk bytes per page',
      'peak MB indexing',
      'MB serving',
      'first answer ms',
      'or10',
      'and',
      'phrase',
      'answers',
    ],
    rows: sizes.length > 1 ? rows : [],
  }
}

const orDash = (value: number | undefined, shown: (value: number) => string) =>
  value === undefined ? '–' : shown(value)
const ratio = (value: number, base: number) => (value / base).toFixed(2)
const spread = ({ p50SpreadMs: [low, high] }: Times) => `${milliseconds(low)}–${milliseconds(high)}`
