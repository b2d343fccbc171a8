import { isCoarse, parseUrlDate, type WrittenDate } from '../written-dates/date-text.ts'
import type { DateSearch } from './date-search.ts'
import type { PublishedDate } from './published-date.ts'
import { clockAtSite } from './site-clock.ts'
import { shownNearHeading } from './written-dates.ts'

/**
 * Corrects the day of a publish time in UTC to the publisher's local day. The local day is that of the URL or of a date
 * near the heading, if it is one day off and a time zone explains this. Otherwise the country of the site's domain
 * decides.
 */
export function withLocalDay(found: PublishedDate, search: () => DateSearch, url: string): PublishedDate {
  const utc = /T(\d\d):\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)$/.exec(found.iso)
  if (!utc || found.source === 'url' || found.source === 'text') return found
  const [day, hour] = [Date.parse(found.iso.slice(0, 10)), Number(utc[1])]
  const isLocal = (date: WrittenDate): boolean => {
    if (isCoarse(date)) return false
    const days = (Date.parse(date.iso.slice(0, 10)) - day) / 86_400_000
    // No later time zone than UTC+10 is considered, because few people live there.
    return (days === -1 && hour < 12) || (days === 1 && hour >= 14)
  }
  const inUrl = parseUrlDate(url)
  if (inUrl && isLocal(inUrl)) return { ...inUrl, source: 'url' }
  // A full date in the URL that is not one day off: nothing is corrected.
  if (inUrl && !isCoarse(inUrl)) return found
  const shown = shownNearHeading(search())
  if (shown && isLocal(shown)) return { ...shown, source: 'text' }
  const there = isMidnight(found.iso) ? undefined : clockAtSite(url, Date.parse(found.iso))
  if (there === undefined || isSameDay(there, found.iso)) return found
  // If the page shows the day in UTC, that day is right. But if the time is midnight at the site, the local day is
  // right: software writes a date without a time as midnight.
  return shown && isSameDay(shown.iso, found.iso) && !isMidnight(there) ? found : { ...found, iso: there }
}

const isSameDay = (a: string, b: string): boolean => a.slice(0, 10) === b.slice(0, 10)

/** True for midnight, as software writes a date without a time. */
const isMidnight = (iso: string): boolean => iso.slice(11, 19) === '00:00:00'
