import { FairQueue } from '../fair-shares/fair-queue.ts'
import { type LiveCall, type LivePage, liveLimits, withinLiveTime } from './live-page.ts'

/** Reads a page from its source, now. See `readLivePage` for what it throws. */
export type ReadLive = (url: string, call?: LiveCall) => Promise<LivePage>

/** Each running read may hold a page of 20 MiB. */
const queueLimits = { running: 32, runningPerClient: 8, waiting: 64, waitingPerClient: 8 } as const

/**
 * Lets at most 32 live reads run at a time, 8 of one client; the others wait for their turn, 8 of one client and 64 in all.
 * Waiting counts towards the 30 s that a live read may take.
 *
 * @throws ServiceError overloaded - too many reads of the client wait already.
 * @throws AsofError ASOF_FETCH_TIMEOUT - 30 s are over.
 */
export function limitLiveReads(readLive: ReadLive): ReadLive {
  const queue = new FairQueue(queueLimits, 'pages are being fetched live')
  return (url, call = {}) =>
    withinLiveTime({ timeoutMs: liveLimits.timeoutMs, url, signal: call.signal }, signal =>
      queue.run(call.client, () => readLive(url, { ...call, signal }), signal),
    )
}
