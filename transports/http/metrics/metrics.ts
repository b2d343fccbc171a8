import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { CallCharge } from '../../../service/accounts/index.ts'
import { type Administrators, admitAdministrators } from '../admission/administrators.ts'
import type { AnsweredRequest } from '../request/request-record.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'
import type { HttpSettings } from '../settings.ts'
import { ClusterFigures } from './cluster-figures.ts'
import { addCrawlMetrics, addFigures, single } from './figures.ts'
import { TitleCounts } from './title-counts.ts'

/** Upper bounds of the histogram of answer times, seconds: from the fastest answers to the time limit. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

type EngineFigure =
  | 'captures'
  | 'urls'
  | 'segments'
  | 'terms'
  | 'bytes'
  | 'merges'
  | 'cacheHits'
  | 'cacheMisses'
  | 'vectors'

const engineFigures: readonly (readonly [EngineFigure, string])[] = [
  ['captures', 'Captures in the index, superseded ones included.'],
  ['urls', 'URLs in the index.'],
  ['segments', 'Segments of the index.'],
  ['terms', 'Terms in the dictionaries of all segments.'],
  ['bytes', 'Bytes of the index on disk.'],
  ['merges', 'Running merges of segments.'],
  ['cacheHits', 'Reads of the index that a cache answered.'],
  ['cacheMisses', 'Reads of the index that went to the database.'],
  ['vectors', 'Captures with a vector of the embeddings model.'],
]

const snakeCase = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** Returns the kind of credit that paid for a call, as a label. */
function sourceOf(route: string, { paid }: CallCharge): 'plan' | 'purchased' | 'allowance' {
  if (route.startsWith('/v1/storefront/')) return 'plan'
  return paid ? 'purchased' : 'allowance'
}

/** A metric with its current values. Those of a histogram have names of their own, such as `asof_…_seconds_bucket`. */
export interface ListedMetric {
  name: string
  help: string
  type: string
  values: { name: string; labels: object; value: number }[]
}

const metricList = named('Metrics', {
  type: 'object',
  properties: { metrics: { type: 'array', items: { type: 'object' } } },
  required: ['metrics'],
})

const listed = {
  operationId: 'admin_metrics',
  summary: 'Administration: the metrics of /metrics as JSON',
  security: [{ AdminToken: [] }],
  responses: {
    200: jsonAnswer('Each metric with its name, help, type and values.', metricList),
    ...failures([...always, 'unauthorized']),
  },
}

let ofProcess: Registry | undefined

/** The metrics of Node and of the process, for all of its servers: the timers and observers of the library never end. */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return ofProcess
}

/** The metrics of one server, and of its process. */
export class Metrics {
  /** Gets the metrics of ways in that the server is given. */
  readonly registry = new Registry()
  readonly #requests: Counter<'method' | 'route' | 'status'>
  readonly #durations: Histogram<'method' | 'route'>
  readonly #refusals: Counter<'error'>
  readonly #titles = new TitleCounts()
  readonly #charges: Counter<'sku' | 'source'>
  readonly #engine: HttpSettings['engine']
  readonly #cluster: ClusterFigures | undefined
  readonly #readable: Gauge | undefined
  readonly #engineGauges = new Map<EngineFigure, Gauge>()

  /** @param underWay - returns the number of calls of the service that are being answered, see `limitWork`. */
  constructor(
    { engine, cluster, crawls }: Pick<HttpSettings, 'engine' | 'cluster' | 'crawls'>,
    underWay: () => number,
  ) {
    // Measuring begins with the first server.
    processMetrics()
    const registers = [this.registry]
    this.#requests = new Counter({
      name: 'asof_http_requests_total',
      help: 'Answered requests.',
      labelNames: ['method', 'route', 'status'],
      registers,
    })
    this.#durations = new Histogram({
      name: 'asof_http_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its answer.',
      labelNames: ['method', 'route'],
      buckets: DURATION_BUCKETS,
      registers,
    })
    this.#refusals = new Counter({
      name: 'asof_refusals_total',
      help: 'Refused requests, by the error string of the answer.',
      labelNames: ['error'],
      registers,
    })
    this.#charges = new Counter({
      name: 'asof_credits_charged_total',
      help: 'Credits and units of plans that were charged, by SKU and source.',
      labelNames: ['sku', 'source'],
      registers,
    })
    addFigures(
      this.registry,
      Counter,
      ['asof_keyless_calls_total', TitleCounts.help, 'service_title'],
      () => this.#titles.figures,
    )
    addFigures(this.registry, Gauge, ['asof_work_under_way', 'Searches and fetches that are being answered.'], () =>
      single(underWay()),
    )
    if (cluster) this.#cluster = new ClusterFigures(this.registry, cluster)
    if (crawls) addCrawlMetrics(this.registry, crawls)
    if (!engine) return
    this.#engine = engine
    const readable = {
      name: 'asof_engine_readable',
      help: '1 if the figures of the engine could be read, 0 otherwise.',
    }
    this.#readable = new Gauge({ ...readable, registers })
    for (const [field, help] of engineFigures) {
      this.#engineGauges.set(field, new Gauge({ name: `asof_engine_${snakeCase(field)}`, help, registers }))
    }
  }

  /** Media type of {@link text}. */
  get contentType(): string {
    return this.registry.contentType
  }

  get #all(): Registry {
    return Registry.merge([processMetrics(), this.registry])
  }

  /** Counts an answered request. */
  count({ method, route, status, durationMs, error, charges = [], applicationTitle }: AnsweredRequest): void {
    this.#requests.inc({ method, route, status })
    this.#durations.observe({ method, route }, durationMs / 1000)
    if (applicationTitle !== undefined) this.#titles.count(applicationTitle)
    if (error !== undefined) this.#refusals.inc({ error })
    for (const charge of charges)
      this.#charges.inc({ sku: charge.sku, source: sourceOf(route, charge) }, charge.credits)
  }

  /** Returns all metrics in the text format of Prometheus. */
  async text(): Promise<string> {
    await this.#readEngine()
    return await this.#all.metrics()
  }

  /** Returns all metrics as a list. */
  async list(): Promise<ListedMetric[]> {
    await this.#readEngine()
    const metrics = await this.#all.getMetricsAsJSON()
    return metrics.map(({ name, help, type, values }) => ({
      name,
      help,
      type,
      values: values.map(one => ({
        // The library names the parts of a histogram, which its types do not say.
        name: 'metricName' in one && typeof one.metricName === 'string' ? one.metricName : name,
        labels: one.labels,
        value: one.value,
      })),
    }))
  }

  async #readEngine(): Promise<void> {
    await this.#cluster?.read()
    const stats = await this.#engine?.stats().catch(() => undefined)
    this.#readable?.set(stats ? 1 : 0)
    for (const [field, gauge] of this.#engineGauges) {
      // A figure that is not known, or can't be read now, is left out: its last value would be misleading.
      const figure = stats?.[field]
      if (figure === undefined) gauge.remove()
      else gauge.set(figure)
    }
  }
}

/**
 * Adds `/metrics`, for Prometheus.
 *
 * @param administrators - who may read the metrics. Default: anyone.
 */
export function addMetricsRoute(app: App, metrics: Metrics, administrators?: Administrators): void {
  if (administrators) admitAdministrators(app, administrators)
  app.get('/metrics', { exposeHeadRoute: false }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  )
}

/** Adds `/admin/metrics`: the same metrics as JSON. */
export function addMetricListRoute(app: App, metrics: Metrics, administrators: Administrators): void {
  admitAdministrators(app, administrators)
  app.get('/admin/metrics', { schema: listed, exposeHeadRoute: false }, async () => ({ metrics: await metrics.list() }))
}
