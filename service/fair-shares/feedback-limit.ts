import { ServiceError } from '../contract/errors.ts'
import { WindowCounts } from './window-counts.ts'

const URLS_PER_HOUR = 1_000

/** Counts the URLs that an organization judges. @throws ServiceError rate_limited */
export type LimitFeedback = (organization: string, urls: number) => Promise<void>

/** Limits each organization to 1,000 judged URLs an hour. */
export function limitFeedback(): LimitFeedback {
  const window = new WindowCounts({ points: URLS_PER_HOUR, durationMs: 3_600_000 })
  return async (organization, urls) => {
    const { exceeded, resetSeconds } = window.count(organization, urls)
    if (!exceeded) return
    const message = `Feedback is limited to ${URLS_PER_HOUR} URLs an hour.`
    throw new ServiceError('rate_limited', message, { retryAfterSeconds: resetSeconds })
  }
}
