import { parseUrlDate, type WrittenDate } from '../../dates/date-text.ts'
import type { DateSearch } from './date-search.ts'
import type { PublishedDate } from './published-date.ts'
import { clockAtSite } from './site-clock.ts'
import { shownNearHeading } from './written-dates.ts'

/**
 * Corrects the day of a publish time in UTC to the day on the publisher's clock. The URL, or a date near the heading, gives that day if it
 * differs by one day and a time zone explains the difference. Otherwise the country of the site's domain decides.
 */
export function withLocalDay(found: PublishedDate, search: () => DateSearch, url: string): PublishedDate {
  const utc = /T(\d\d):\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)$/.exec(found.iso)
  if (!utc || found.source === 'url' || found.source === 'text') return found
  const [day, hour] = [Date.parse(found.iso.slice(0, 10)), Number(utc[1])]
  const isLocal = (date: WrittenDate): boolean => {
    if (date.precision === 'month') return false
    const days = (Date.parse(date.iso.slice(0, 10)) - day) / 86_400_000
    // Few people live east of UTC+10.
    return (days === -1 && hour < 12) || (days === 1 && hour >= 14)
  }
  const inUrl = parseUrlDate(url)
  if (inUrl && isLocal(inUrl)) return { ...inUrl, source: 'url' }
  // The URL has another full date, so the day is left as it is.
  if (inUrl && inUrl.precision !== 'month') return found
  const shown = shownNearHeading(search())
  if (shown && isLocal(shown)) return { ...shown, source: 'text' }
  const there = isMidnight(found.iso) ? undefined : clockAtSite(url, Date.parse(found.iso))
  if (there === undefined || isSameDay(there, found.iso)) return found
  // The day in UTC is right if the page shows it, unless it is midnight at the site: software writes a day without a time as midnight,
  // and then the day at the site is right.
  return shown && isSameDay(shown.iso, found.iso) && !isMidnight(there) ? found : { ...found, iso: there }
}

const isSameDay = (a: string, b: string): boolean => a.slice(0, 10) === b.slice(0, 10)

/** True for midnight. Software writes a day without a time as midnight. */
const isMidnight = (iso: string): boolean => iso.slice(11, 19) === '00:00:00'
