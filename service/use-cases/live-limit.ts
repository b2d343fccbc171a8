import { FairQueue } from '../fair-shares/fair-queue.ts'
import { type LiveCall, type LivePage, liveLimits, withinLiveTime } from './live-page.ts'

/** Fetches a page from its site now. Throws what `readLivePage` throws. */
export type ReadLive = (url: string, call?: LiveCall) => Promise<LivePage>

/** Each running read may hold a page of 20 MiB. */
const queueLimits = { running: 32, runningPerClient: 8, waiting: 64, waitingPerClient: 8 } as const

/**
 * Lets at most 32 live reads run at a time, 8 of them for one client. Others wait, at most 64 and 8 of them for one client.
 * Waiting counts towards the time limit of 30 s.
 *
 * @returns a function that also throws ServiceError overloaded if the queue is full, and AsofError ASOF_FETCH_TIMEOUT if
 *   the time limit was exceeded.
 */
export function limitLiveReads(readLive: ReadLive): ReadLive {
  const queue = new FairQueue(queueLimits, 'pages are being fetched live')
  return (url, call = {}) =>
    withinLiveTime({ timeoutMs: liveLimits.timeoutMs, url, signal: call.signal }, signal =>
      queue.run(call.client, () => readLive(url, { ...call, signal }), signal),
    )
}
