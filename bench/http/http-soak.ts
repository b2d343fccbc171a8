import type { ServerProcess } from './http-server-process.ts'
import { type LoadFigures, type LoadPlan, load } from './load.ts'
import { MemorySamples } from './memory-samples.ts'

/** Figures of the server under overload. */
export interface SoakFigures {
  /** Duration. It is longer than requested if answers were too slow for the rate. */
  minutes: number
  /** Requests sent per second. */
  offeredRate: number
  load: LoadFigures
  /** Number of successful calls with a key, and the credits that the ledger drew for them. */
  ledger: { answered: number; charged: number }
  /** Median resident memory in the second quarter of the time. */
  memoryEarlyBytes: number
  /** Median resident memory in the last quarter of the time. */
  memoryLateBytes: number
}

/** Maximum number of connections. At least half of them are used. The server accepts fewer, so it must reject requests. */
const MAX_CONNECTIONS = 600
/** Rate limit of one of the organizations, low enough to be exceeded. */
const RATE_LIMIT = 20

/** Sends `rate` requests per second for `minutes`, independent of the answers. */
export async function soak(
  server: ServerProcess,
  plan: Pick<LoadPlan, 'url' | 'senders' | 'queries'>,
  { rate, minutes }: { rate: number; minutes: number },
): Promise<SoakFigures> {
  const [open, limited] = [await server.customer(1_000_000), await server.customer(RATE_LIMIT)]
  const keyless = plan.senders.find(({ name }) => name === 'keyless')!
  const senders = [
    keyless,
    { name: 'keyed', path: '/v1/search', headers: { 'x-api-key': open.key } },
    { name: 'limited', path: '/v1/search', headers: { 'x-api-key': limited.key } },
  ]
  const memory = new MemorySamples(server)
  try {
    // All connections have the same rate, so that no connection sends alone at the end.
    const rateEach = Math.ceil(rate / MAX_CONNECTIONS)
    const connections = Math.ceil(rate / rateEach)
    const offered = connections * rateEach
    const requests = Math.ceil(offered * 60 * minutes)
    const figures = await load({ ...plan, senders, connections, requests, rate: offered })
    const answered = (figures.answers.keyed?.[200] ?? 0) + (figures.answers.limited?.[200] ?? 0)
    const charged = (await server.charged(open.org)) + (await server.charged(limited.org))
    return {
      minutes: figures.seconds / 60,
      offeredRate: requests / figures.seconds,
      load: figures,
      ledger: { answered, charged },
      memoryEarlyBytes: memory.quarter(1),
      memoryLateBytes: memory.quarter(3),
    }
  } finally {
    memory.stop()
  }
}
