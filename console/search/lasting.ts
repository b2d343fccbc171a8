import type { SearchRequest } from '../api/wire.ts'

const timeFields = ['published_after', 'published_before', 'acquired_after', 'acquired_before'] as const

/** A date, a timestamp or a Unix epoch. A delta such as 7d ends with a unit instead. */
const absolute = /^[+-]?\d+(?:$|-)/

/**
 * True if the answer to a request stays the same: it is asked as of an instant that has passed, and no filter counts back from now.
 *
 * @param now - epoch ms.
 */
export function isLasting(request: SearchRequest, now: number): boolean {
  const at = Date.parse(request.query_time ?? '')
  return at <= now && timeFields.every(name => absolute.test(request[name] ?? '0'))
}
