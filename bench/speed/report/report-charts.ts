import { percentile, sorted } from '../../apparatus/percentiles.ts'
import { count } from '../../apparatus/text-table.ts'
import type { EngineName } from '../../engines/engine.ts'
import { type LaneName, laneAbout, laneNames } from '../../questions/question.ts'
import type { SizeReport, SpeedReport } from './speed-report.ts'

/** A chart of the page. Its configuration for Chart.js contains no functions, so it can be written as JSON. */
export interface ReportChart {
  title: string
  config: Record<string, unknown>
  /** True if the chart takes the whole width of the page. */
  wide?: boolean
}

/** Colors that people with any color vision can distinguish, on light and dark backgrounds (after Okabe and Ito 2008). */
const colors: Record<EngineName, string> = {
  asof: '#2f7ed8',
  lucene: '#d55e00',
  tantivy: '#0072b2',
  seekstorm: '#882255',
  fts5: '#009e73',
  minisearch: '#cc79a7',
  flexsearch: '#c79a00',
  orama: '#56b4e9',
  'search-index': '#8c8c8c',
}

const compared: LaneName[] = ['or10', 'or100', 'and', 'phrase']

/** Returns the charts of one corpus size. */
export function sizeCharts(size: SizeReport): ReportChart[] {
  return [
    latencyBars(size),
    ...compared.map(lane => percentileLines(size, lane)),
    filterBars(size),
    ...footprint(size),
  ].filter(chart => chart !== undefined)
}

/** Returns charts of figures over the number of pages; empty for a single size. */
export function growthCharts({ sizes }: SpeedReport): ReportChart[] {
  if (sizes.length < 2) return []
  const cpuOf = (lane: LaneName, share: 'p50Ms' | 'p95Ms') => (size: SizeReport, engine: EngineName) =>
    size.lanes.find(one => one.lane === lane && one.engine === engine)?.cpu[share]
  const indexOf = (size: SizeReport, engine: EngineName) => size.indexing.find(one => one.engine === engine)
  return [
    overPages(sizes, 'or10, CPU p50, ms', cpuOf('or10', 'p50Ms')),
    overPages(sizes, 'or10, CPU p95, ms', cpuOf('or10', 'p95Ms')),
    overPages(sizes, 'Indexing, pages a CPU second', (size, engine) => {
      const built = indexOf(size, engine)
      return built && (built.pages / built.cpuMs) * 1_000
    }),
    overPages(sizes, 'Disk, bytes a page', (size, engine) => {
      const built = indexOf(size, engine)
      return built?.diskBytes === undefined ? undefined : built.diskBytes / built.pages
    }),
    overPages(sizes, 'Peak memory while indexing, MB', (size, engine) =>
      megabytesOf(indexOf(size, engine)?.memory?.peakBytes),
    ),
    overPages(sizes, 'Memory while serving, MB', (size, engine) =>
      megabytesOf(size.serving.find(one => one.engine === engine)?.memory?.residentBytes),
    ),
  ].filter(chart => chart !== undefined)
}

const megabytesOf = (bytes: number | undefined) => (bytes === undefined ? undefined : bytes / 1e6)

/** Draws a bar from p50 to p95 for each lane and engine. */
function latencyBars({ lanes }: SizeReport): ReportChart | undefined {
  const shown = compared.filter(lane => lanes.some(one => one.lane === lane))
  if (shown.length === 0) return undefined
  const engines = [...new Set(lanes.map(({ engine }) => engine))]
  return {
    title: 'CPU time of a query, ms: from p50 to p95',
    wide: true,
    config: {
      type: 'bar',
      data: {
        labels: shown.map(lane => laneAbout[lane]),
        datasets: engines.map(engine => ({
          label: engine,
          backgroundColor: colors[engine],
          borderRadius: 3,
          maxBarThickness: 48,
          borderSkipped: false,
          minBarLength: 3,
          data: shown.map(lane => {
            const cpu = lanes.find(one => one.lane === lane && one.engine === engine)?.cpu
            return cpu ? [cpu.p50Ms, cpu.p95Ms] : null
          }),
        })),
      },
      options: { scales: { y: logarithmic } },
    },
  }
}

/** Draws a line of the percentiles of each engine, from the best time of each query. */
function percentileLines({ lanes }: SizeReport, lane: LaneName): ReportChart | undefined {
  const figures = lanes.filter(one => one.lane === lane)
  if (figures.length === 0) return undefined
  return {
    title: `${lane}: CPU ms by percentile of the queries`,
    config: {
      type: 'line',
      data: {
        datasets: figures.map(({ engine, cpu }) => {
          const ascending = sorted(cpu.bestMs)
          const points = Array.from({ length: 100 }, (_, i) => ({ x: i + 1, y: percentile(ascending, (i + 1) / 100) }))
          return line(engine, points, 0)
        }),
      },
      options: {
        scales: {
          x: { type: 'linear', min: 0, max: 100, title: { display: true, text: 'percentile' } },
          y: logarithmic,
        },
      },
    },
  }
}

/** Draws the cost of a filter or a past instant, relative to the same queries without it. */
function filterBars({ lanes }: SizeReport): ReportChart | undefined {
  const filtered = laneNames.filter(lane => /^(asof|acquired|published|site)/.test(lane))
  const shown = filtered.filter(lane => lanes.some(one => one.lane === lane))
  const engines = [...new Set(lanes.filter(one => shown.includes(one.lane)).map(({ engine }) => engine))]
  const cpuOf = (lane: LaneName, engine: EngineName) =>
    lanes.find(one => one.lane === lane && one.engine === engine)?.cpu.p50Ms
  if (shown.length === 0 || !lanes.some(({ lane }) => lane === 'or10')) return undefined
  return {
    title: 'Cost of a filter or past instant: CPU p50, relative to the same queries without it',
    wide: true,
    config: {
      type: 'bar',
      data: {
        labels: shown,
        datasets: engines.map(engine => ({
          label: engine,
          backgroundColor: colors[engine],
          borderRadius: 3,
          maxBarThickness: 48,
          data: shown.map(lane => {
            const base = cpuOf('or10', engine)
            const cost = cpuOf(lane, engine)
            return base === undefined || cost === undefined ? null : cost / base
          }),
        })),
      },
      options: { scales: { y: { beginAtZero: true } } },
    },
  }
}

function footprint({ indexing, serving }: SizeReport): (ReportChart | undefined)[] {
  return [
    engineBars('Indexing, pages/s', indexing, one => (one.pages / one.addMs) * 1_000),
    engineBars('Indexing, pages a CPU second', indexing, one => (one.pages / one.cpuMs) * 1_000),
    engineBars(
      'Disk, bytes a page',
      indexing.filter(one => one.diskBytes !== undefined),
      one => one.diskBytes! / one.pages,
    ),
    engineBars(
      'Peak memory while indexing, MB',
      indexing.filter(one => one.memory),
      one => one.memory!.peakBytes / 1e6,
    ),
    engineBars(
      'Memory while serving, MB',
      serving.filter(one => one.memory),
      one => one.memory!.residentBytes / 1e6,
    ),
  ]
}

function engineBars<Figures extends { engine: EngineName }>(
  title: string,
  figures: Figures[],
  value: (figures: Figures) => number,
): ReportChart | undefined {
  if (figures.length === 0) return undefined
  return {
    title,
    config: {
      type: 'bar',
      data: {
        labels: figures.map(({ engine }) => engine),
        datasets: [
          {
            backgroundColor: figures.map(({ engine }) => colors[engine]),
            borderRadius: 3,
            maxBarThickness: 48,
            data: figures.map(one => Number(value(one).toPrecision(4))),
          },
        ],
      },
      options: {
        indexAxis: 'y',
        plugins: { legend: { display: false } },
        scales: { x: { beginAtZero: true, ticks: { maxTicksLimit: 6 } }, y: { grid: { display: false } } },
      },
    },
  }
}

function overPages(
  sizes: SizeReport[],
  title: string,
  value: (size: SizeReport, engine: EngineName) => number | undefined,
): ReportChart | undefined {
  const engines = [...new Set(sizes.flatMap(({ indexing }) => indexing.map(({ engine }) => engine)))]
  const lines = engines
    .map(engine => ({
      engine,
      points: sizes.flatMap(size => {
        const y = value(size, engine)
        return y === undefined ? [] : [{ x: size.corpus.pages, y: Number(y.toPrecision(4)) }]
      }),
    }))
    .filter(({ points }) => points.length > 0)
  if (lines.length === 0) return undefined
  return {
    title,
    config: {
      type: 'line',
      data: { datasets: lines.map(({ engine, points }) => line(engine, points, 4)) },
      options: {
        scales: {
          x: {
            type: 'logarithmic',
            title: { display: true, text: `pages, ${sizes.map(({ corpus }) => count(corpus.pages)).join(', ')}` },
          },
          y: logarithmic,
        },
      },
    },
  }
}

const line = (engine: EngineName, data: { x: number; y: number }[], pointRadius: number) => ({
  label: engine,
  data,
  borderColor: colors[engine],
  backgroundColor: colors[engine],
  borderWidth: engine === 'asof' ? 3 : 1.5,
  pointRadius,
  pointHitRadius: 8,
})

const logarithmic = { type: 'logarithmic', ticks: { format: { maximumSignificantDigits: 2 }, maxTicksLimit: 9 } }
