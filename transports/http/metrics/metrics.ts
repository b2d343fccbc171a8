import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'
import type { AnsweredRequest } from '../request/answered-request.ts'
import type { HttpSettings } from '../settings.ts'
import { addCrawlMetrics } from './crawl-metrics.ts'
import { addPaymentMetrics } from './payment-metrics.ts'
import { TitleMetrics } from './title-metrics.ts'

/** Seconds: from an answer out of a cache to the time-out of one. */
const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

type EngineFigure = 'captures' | 'urls' | 'segments' | 'terms' | 'bytes' | 'merges'

const engineFigures: readonly (readonly [EngineFigure, string])[] = [
  ['captures', 'Captures in the index.'],
  ['urls', 'URLs in the index.'],
  ['segments', 'Segments of the index.'],
  ['terms', 'Terms in the dictionaries of all segments.'],
  ['bytes', 'Bytes of the index on disk.'],
  ['merges', 'Merges of segments under way.'],
]

/** The figures of one server, in the text format of Prometheus. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests: Counter<'method' | 'route' | 'status'>
  readonly #durations: Histogram<'method' | 'route'>
  readonly #refusals: Counter<'error'>
  readonly #titles: TitleMetrics
  readonly #draws: Counter<'sku' | 'source'>
  readonly #engine: HttpSettings['engine']
  readonly #readable: Gauge | undefined
  readonly #engineGauges = new Map<EngineFigure, Gauge>()

  /** @param underWay - searches and fetches being answered. */
  constructor(
    { engine, crawls, payments }: Pick<HttpSettings, 'engine' | 'crawls' | 'payments'>,
    underWay: () => number,
  ) {
    const registers = [this.#registry]
    collectDefaultMetrics({ register: this.#registry })
    this.#requests = new Counter({
      name: 'asof_http_requests_total',
      help: 'Requests answered.',
      labelNames: ['method', 'route', 'status'],
      registers,
    })
    this.#durations = new Histogram({
      name: 'asof_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer.',
      labelNames: ['method', 'route'],
      buckets: DURATION_BUCKETS,
      registers,
    })
    this.#refusals = new Counter({
      name: 'asof_refusals_total',
      help: 'Requests refused, by the error string of the answer.',
      labelNames: ['error'],
      registers,
    })
    this.#draws = new Counter({
      name: 'asof_credits_drawn_total',
      help: 'Credits drawn from the ledger.',
      labelNames: ['sku', 'source'],
      registers,
    })
    this.#titles = new TitleMetrics(this.#registry)
    new Gauge({
      name: 'asof_work_under_way',
      help: 'Searches and fetches being answered.',
      registers,
      collect() {
        this.set(underWay())
      },
    })
    if (crawls) addCrawlMetrics(this.#registry, crawls)
    if (payments) addPaymentMetrics(this.#registry, payments.tally)
    if (!engine) return
    this.#engine = engine
    const readable = { name: 'asof_engine_readable', help: 'Whether the engine told its figures: 1 or 0.' }
    this.#readable = new Gauge({ ...readable, registers })
    for (const [field, help] of engineFigures) {
      this.#engineGauges.set(field, new Gauge({ name: `asof_engine_${field}`, help, registers }))
    }
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  count({ method, route, status, durationMs, error, draw, serviceTitle }: AnsweredRequest): void {
    this.#requests.inc({ method, route, status })
    this.#durations.observe({ method, route }, durationMs / 1000)
    if (serviceTitle !== undefined) this.#titles.count(serviceTitle)
    if (error !== undefined) this.#refusals.inc({ error })
    if (draw) this.#draws.inc({ sku: draw.sku, source: draw.paid ? 'purchased' : 'allowance' }, draw.credits)
  }

  async text(): Promise<string> {
    await this.#readEngine()
    return await this.#registry.metrics()
  }

  async #readEngine(): Promise<void> {
    const stats = await this.#engine?.stats().catch(() => undefined)
    this.#readable?.set(stats ? 1 : 0)
    for (const [field, gauge] of this.#engineGauges) {
      // A figure that is not known now is left out rather than told as it was.
      if (stats) gauge.set(stats[field])
      else gauge.remove()
    }
  }
}
