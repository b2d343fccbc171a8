import { createHistogram } from 'node:perf_hooks'
import autocannon from 'autocannon'

/** Who sends a request: which headers it has, and the path it goes to. */
export interface Sender {
  name: string
  path: string
  headers: Record<string, string>
}

export interface LoadPlan {
  url: string
  senders: Sender[]
  /** Query strings, taken in turn. */
  queries: string[]
  connections: number
  /** Requests in all. Every one of them is answered before the load ends, so that each can be accounted for. */
  requests: number
  /** Requests a second, whatever comes back; default as fast as the answers come. */
  rate?: number
}

export interface LoadFigures {
  seconds: number
  /** Answers by sender and status. */
  answers: Record<string, Record<number, number>>
  /** Answers with 200 a second. */
  rate: number
  /** Of answers with 200, milliseconds. */
  p50Ms: number
  p95Ms: number
  p99Ms: number
  /** Connections that failed and answers that did not come. */
  errors: number
  /** Answers with another status than 200, 429 and 503, and those of these two that name no time to retry. */
  unclean: number
}

/** An answer later than this counts as an error; seconds. */
const TIMEOUT_SECONDS = 90

/** Sends searches from many connections at a time. */
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
    // With a rate, a slow answer shall not be counted again for each request that it kept from being sent.
    ...(rate !== undefined && { overallRate: rate, ignoreCoordinatedOmission: true }),
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
  const [p50Ms, p95Ms, p99Ms] = [50, 95, 99].map(share => micros.percentile(share) / 1_000)
  return {
    seconds: duration,
    answers,
    rate: succeeded / duration,
    p50Ms,
    p95Ms,
    p99Ms,
    errors: errors + timeouts,
    unclean,
  }
}
