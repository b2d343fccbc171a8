import { ServiceError } from '../contract/errors.ts'
import { WindowCounts } from './window-counts.ts'

const URLS_PER_HOUR = 1_000

/** Counts the URLs that an organisation judges. @throws ServiceError rate_limited */
export type LimitFeedback = (organisation: string, urls: number) => Promise<void>

/** Lets an organisation judge 1,000 URLs an hour, so that nobody drowns out the others. */
export function limitFeedback(): LimitFeedback {
  const window = new WindowCounts({ points: URLS_PER_HOUR, durationMs: 3_600_000 })
  return async (organisation, urls) => {
    const { exceeded, resetSeconds } = window.count(organisation, urls)
    if (!exceeded) return
    const message = `Feedback is taken on ${URLS_PER_HOUR} URLs an hour.`
    throw new ServiceError('rate_limited', message, { retryAfterSeconds: resetSeconds })
  }
}
