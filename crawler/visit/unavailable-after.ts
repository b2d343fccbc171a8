import { parseFeedDate } from '../discovery/feed-date.ts'

/**
 * True if the date of `unavailable_after` is in the past, so that the page must no longer be in results. The date may be of
 * RFC 822, RFC 850 or ISO 8601. A text that is no such date says nothing.
 *
 * @param nowAt - epoch ms.
 */
export function isUnavailable(date: string | undefined, nowAt: number): boolean {
  if (date === undefined) return false
  // Directives were put in lower case, and the names of zones are read in upper case.
  const at = parseFeedDate(date.toUpperCase())
  return at !== undefined && at < nowAt
}
