import { parseUrlDate, type WrittenDate } from '../../dates/date-text.ts'
import type { DateSearch } from './date-search.ts'
import type { PublishedDate } from './published-date.ts'
import { clockAtSite } from './site-clock.ts'
import { shownNearHeading } from './written-dates.ts'

/**
 * A time in UTC may lie on another calendar day than the one that the publisher's own clock showed. The address or the
 * line of the date tells, where it is a day off and some time zone explains that; else the country of the site.
 */
export function withLocalDay(found: PublishedDate, search: () => DateSearch, url: string): PublishedDate {
  const utc = /T(\d\d):\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)$/.exec(found.iso)
  if (!utc || found.source === 'url' || found.source === 'text') return found
  const day = Date.parse(found.iso.slice(0, 10))
  const isLocal = (date: WrittenDate): boolean => {
    if (date.precision === 'month') return false
    const days = (Date.parse(date.iso.slice(0, 10)) - day) / 86_400_000
    // Few people live east of UTC+10.
    return (days === -1 && +utc[1] < 12) || (days === 1 && +utc[1] >= 14)
  }
  const inAddress = parseUrlDate(url)
  if (inAddress && isLocal(inAddress)) return { ...inAddress, source: 'url' }
  // A date in the address on the same day settles it, too.
  if (inAddress && inAddress.precision !== 'month') return found
  const shown = shownNearHeading(search())
  if (shown && isLocal(shown)) return { ...shown, source: 'text' }
  const there = isMidnight(found.iso) ? undefined : clockAtSite(url, Date.parse(found.iso))
  if (there === undefined || isSameDay(there, found.iso)) return found
  // A page that shows the day in UTC means it, unless the time is the midnight with which a day begins there.
  return shown && isSameDay(shown.iso, found.iso) && !isMidnight(there) ? found : { ...found, iso: there }
}

const isSameDay = (a: string, b: string): boolean => a.slice(0, 10) === b.slice(0, 10)

/** Midnight stands for a day without a clock time, written down by software. */
const isMidnight = (iso: string): boolean => iso.slice(11, 19) === '00:00:00'
