import { ServiceError } from './errors.ts'
import type { ReadLive } from './fetch.ts'

/** Each may hold a page of 20 MiB, for 30 s and as long as its extraction takes. */
const MAX_LIVE_READS = 32

/**
 * Lets no more than 32 live reads run at a time, so that slow or large targets can't fill the memory.
 *
 * @throws ServiceError overloaded - as many are running already.
 */
export function limitLiveReads(readLive: ReadLive): ReadLive {
  let running = 0
  return async url => {
    if (running >= MAX_LIVE_READS) {
      throw new ServiceError('overloaded', 'Too many pages are being fetched live right now.', { retryAfterSeconds: 1 })
    }
    running += 1
    try {
      return await readLive(url)
    } finally {
      running -= 1
    }
  }
}
