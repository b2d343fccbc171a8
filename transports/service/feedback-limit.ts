import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from './errors.ts'

const URLS_PER_HOUR = 1_000

/** Counts the URLs that an organisation judges. @throws ServiceError rate_limited */
export type LimitFeedback = (organisation: string, urls: number) => Promise<void>

/** Lets an organisation judge 1,000 URLs an hour, so that nobody drowns out the others. */
export function limitFeedback(): LimitFeedback {
  const window = new RateLimiterMemory({ keyPrefix: 'feedback', points: URLS_PER_HOUR, duration: 3_600 })
  return async (organisation, urls) => {
    try {
      await window.consume(organisation, urls)
    } catch (refused) {
      if (!(refused instanceof RateLimiterRes)) throw refused
      const retryAfterSeconds = Math.max(1, Math.ceil(refused.msBeforeNext / 1000))
      const message = `Feedback is taken on ${URLS_PER_HOUR} URLs an hour.`
      throw new ServiceError('rate_limited', message, { retryAfterSeconds })
    }
  }
}
