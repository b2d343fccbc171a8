import { createHistogram } from 'node:perf_hooks'
import autocannon from 'autocannon'

/** A kind of caller: the path and the headers of its requests. */
export interface Sender {
  name: string
  path: string
  headers: Record<string, string>
}

/** The requests of a load test. */
export interface LoadPlan {
  url: string
  senders: Sender[]
  /** Query strings, used in turn. */
  queries: string[]
  connections: number
  /** Total number of requests. The load ends when all are answered, so that all can be compared with the ledger. */
  requests: number
  /** Requests per second, independent of the answers; default: each connection sends its next request after an answer. */
  rate?: number
}

/** Result of a load test. */
export interface LoadFigures {
  seconds: number
  /** Number of answers by sender and status. */
  answers: Record<string, Record<number, number>>
  /** Successful answers (200) per second. */
  rate: number
  /** Latency of successful answers. */
  p50Ms: number
  p95Ms: number
  p99Ms: number
  /** Number of failed connections and missing answers. */
  errors: number
  /** Number of answers that are neither 200, nor 429 or 503 with a valid `Retry-After`. */
  unclean: number
}

/** A later answer counts as an error. */
const TIMEOUT_SECONDS = 90

/** Sends searches over many concurrent connections. */
export async function load({ url, senders, queries, connections, requests, rate }: LoadPlan): Promise<LoadFigures> {
  const answers: Record<string, Record<number, number>> = {}
  const micros = createHistogram()
  let unclean = 0
  let next = 0
  const running = autocannon({
    url,
    connections,
    amount: requests,
    timeout: TIMEOUT_SECONDS,
    // Without this, autocannon would add corrected samples for the requests that a slow answer delayed.
    ignoreCoordinatedOmission: rate !== undefined,
    overallRate: rate,
    requests: senders.map(({ name, path, headers }) => {
      const byStatus: Record<number, number> = {}
      answers[name] = byStatus
      return {
        setupRequest: request => ({ ...request, path: `${path}?${queries[next++ % queries.length]}`, headers }),
        onResponse: (status, _body, _context, answered) => {
          byStatus[status] = (byStatus[status] ?? 0) + 1
          const isRefusal = status === 429 || status === 503
          const retryAfter = Object.entries(answered).find(([header]) => header.toLowerCase() === 'retry-after')?.[1]
          if (status !== 200 && !(isRefusal && Number(retryAfter) >= 1)) unclean++
        },
      }
    }),
  })
  running.on('response', (_client, status, _bytes, ms) => {
    if (status === 200) micros.record(Math.max(1, Math.round(ms * 1_000)))
  })
  const { errors, timeouts, duration } = await running
  const succeeded = Object.values(answers).reduce((sum, byStatus) => sum + (byStatus[200] ?? 0), 0)
  const latencyMs = (share: number) => micros.percentile(share) / 1_000
  return {
    seconds: duration,
    answers,
    rate: succeeded / duration,
    p50Ms: latencyMs(50),
    p95Ms: latencyMs(95),
    p99Ms: latencyMs(99),
    errors: errors + timeouts,
    unclean,
  }
}
