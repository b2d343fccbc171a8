import type { Metric } from '../api/wire.ts'

/** The metrics of a server, by name. */
export class Figures {
  readonly #metrics: ReadonlyMap<string, Metric>

  constructor(metrics: readonly Metric[]) {
    this.#metrics = new Map(metrics.map(metric => [metric.name, metric]))
  }

  /** The value of a metric that has one; undefined if the server does not have it. */
  value(name: string): number | undefined {
    return this.#metrics.get(name)?.values[0]?.value
  }

  /** The values of a metric with their labels. */
  values(name: string): Metric['values'] {
    return this.#metrics.get(name)?.values ?? []
  }

  /** How long requests took, by route, those with the most requests first. */
  durations(): RouteDurations[] {
    const routes = new Map<string, RouteDurations>()
    for (const { name, labels, value } of this.values('asof_http_request_duration_seconds')) {
      const route = `${labels.method} ${labels.route}`
      const durations = routes.get(route) ?? { route, requests: 0, seconds: 0, buckets: [] }
      if (name.endsWith('_count')) durations.requests = value
      else if (name.endsWith('_sum')) durations.seconds = value
      else durations.buckets.push({ seconds: Number(labels.le === '+Inf' ? Infinity : labels.le), requests: value })
      routes.set(route, durations)
    }
    return [...routes.values()].sort((a, b) => b.requests - a.requests)
  }
}

/** How long the requests of a route took. Each bucket counts the requests that took at most so many seconds. */
export interface RouteDurations {
  route: string
  requests: number
  seconds: number
  buckets: { seconds: number; requests: number }[]
}

/** The sum of the durations of some routes. */
export function sumDurations(all: readonly RouteDurations[]): RouteDurations {
  const sum: RouteDurations = { route: '', requests: 0, seconds: 0, buckets: [] }
  for (const { requests, seconds, buckets } of all) {
    sum.requests += requests
    sum.seconds += seconds
    buckets.forEach((bucket, i) => {
      const before = sum.buckets[i]?.requests ?? 0
      sum.buckets[i] = { seconds: bucket.seconds, requests: before + bucket.requests }
    })
  }
  return sum
}

/** The time within which a share of the requests was answered, seconds; between the bounds of a bucket by interpolation. */
export function quantile({ buckets, requests }: RouteDurations, share: number): number | undefined {
  if (requests === 0) return undefined
  const rank = share * requests
  let lower = { seconds: 0, requests: 0 }
  for (const upper of buckets) {
    if (upper.requests >= rank) {
      if (upper.seconds === Infinity) return lower.seconds
      const within = (rank - lower.requests) / Math.max(1, upper.requests - lower.requests)
      return lower.seconds + (upper.seconds - lower.seconds) * within
    }
    lower = upper
  }
  return lower.seconds
}
