import { parseFeedDate } from '../discovery/feed-date.ts'

/** Matches a date of RFC 850, `30-Aug-08 15:00:00`, in which the hyphens become spaces. */
const hyphenated = /(\d{1,2})-([a-z]{3,9})-(\d{2,4})/i
/** The zones of RFC 822, in hours from UTC. */
const zones: Readonly<Record<string, string>> = {
  est: '-0500',
  edt: '-0400',
  cst: '-0600',
  cdt: '-0500',
  mst: '-0700',
  mdt: '-0600',
  pst: '-0800',
  pdt: '-0700',
}

/**
 * True if the date of `unavailable_after` is in the past, so that the page must no longer be in results. The date may be of
 * RFC 822, RFC 850 or ISO 8601. A text that is no such date says nothing.
 *
 * @param nowAt - epoch ms.
 */
export function isUnavailable(date: string | undefined, nowAt: number): boolean {
  if (date === undefined) return false
  const text = date
    .trim()
    .slice(0, 80)
    .replace(hyphenated, '$1 $2 $3')
    .replace(/\b[ecmp][sd]t$/i, zone => zones[zone.toLowerCase()] ?? zone)
  const at = parseFeedDate(text)
  return at !== undefined && at < nowAt
}
