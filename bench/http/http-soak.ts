import type { ServerProcess } from './http-server-process.ts'
import { type LoadFigures, type LoadPlan, load } from './load.ts'
import { MemorySamples } from './memory-samples.ts'

/** How the server stood more than it can do. */
export interface SoakFigures {
  /** How long it took: as asked for, unless answers were too slow for the rate. */
  minutes: number
  /** Requests a second that were sent. */
  offeredRate: number
  load: LoadFigures
  /** Credits: answers with 200 to calls with a key, and draws in the ledger. */
  ledger: { answered: number; drawn: number }
  /** Median resident bytes in the second quarter of the time and in the last one. */
  memoryEarlyBytes: number
  memoryLateBytes: number
}

/** Connections at most, and half as many at least: more than the server takes on at a time, so that it has to refuse. */
const MOST_CONNECTIONS = 600
/** Of one organization among the callers: so that it meets its own limit too. */
const RATE_LIMIT = 20

/** Sends `rate` requests a second for so many minutes, whatever is answered. */
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
    // Every connection sends as many a second as the others, so that none is left to send the rest alone.
    const rateEach = Math.ceil(rate / MOST_CONNECTIONS)
    const connections = Math.ceil(rate / rateEach)
    const offered = connections * rateEach
    const requests = Math.ceil(offered * 60 * minutes)
    const figures = await load({ ...plan, senders, connections, requests, rate: offered })
    const answered = (figures.answers.keyed[200] ?? 0) + (figures.answers.limited[200] ?? 0)
    const drawn = (await server.drawn(open.org)) + (await server.drawn(limited.org))
    return {
      minutes: figures.seconds / 60,
      offeredRate: requests / figures.seconds,
      load: figures,
      ledger: { answered, drawn },
      memoryEarlyBytes: memory.quarter(1),
      memoryLateBytes: memory.quarter(3),
    }
  } finally {
    memory.stop()
  }
}
