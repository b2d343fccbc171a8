import { FairSlots } from './fair-slots.ts'
import type { LiveCall, LivePage } from './live-page.ts'

/** Reads a page from its source, now. See `readLivePage` for what it throws. */
export type ReadLive = (url: string, call?: LiveCall) => Promise<LivePage>

/** The same for one of several clients. */
export type ReadLiveFor = (url: string, client: string | undefined, call?: LiveCall) => Promise<LivePage>

/** Each may hold a page of 20 MiB, for 30 s and as long as its extraction takes. */
const liveSlots = { total: 32, perClient: 8 } as const

/**
 * Lets no more than 32 live reads run at a time, 8 of one client, so that slow or large targets can't fill the memory
 * and nobody's keep the others out.
 *
 * @throws ServiceError overloaded - as many are running already.
 */
export function limitLiveReads(readLive: ReadLive): ReadLiveFor {
  const slots = new FairSlots(liveSlots, 'pages are being fetched live')
  return (url, client, call) => slots.run(client, () => readLive(url, call))
}
