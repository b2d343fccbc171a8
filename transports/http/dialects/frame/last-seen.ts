import { ServiceError } from '../../../../service/index.ts'
import type { Asking } from './dialect.ts'

/** Returns when the index last saw a page, epoch ms. Returns -Infinity if it does not have the page. Costs nothing. */
export async function lastSeenAt(url: string, asking: Asking): Promise<number> {
  try {
    const { body } = await asking.call('page', { url, max_chars: 1 })
    return Date.parse(body.last_seen_at)
  } catch (failure) {
    if (failure instanceof ServiceError && failure.kind === 'not_indexed') return Number.NEGATIVE_INFINITY
    throw failure
  }
}
