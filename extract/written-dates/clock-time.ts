import { utcOffset, zonePattern } from './utc-offset.ts'

const timeAfterDate = new RegExp(
  '^日?[\\s,·|–-]{0,4}(?:um|at|as|às|a las|alle|kl\\.?|o|à|в|T)?\\s{0,2}(\\d{1,2})[:.h](\\d{2})(?::(\\d{2}))?(?!\\d)' +
    '\\s?([ap]\\.?m\\.?(?![\\p{L}]))?',
  'iu',
)
const zoneAfterTime = new RegExp(`^\\s?(${zonePattern})`, 'u')

/** Reads the time of day directly after a date. Returns the same form as {@link clockOf}. */
export function clockAfter(text: string, end: number): string {
  const rest = text.slice(end, end + 40)
  const clock = timeAfterDate.exec(rest)
  if (!clock) return ''
  let hour = Number(clock[1])
  if (clock[4]) {
    if (hour < 1 || hour > 12) return ''
    hour = (hour % 12) + (clock[4].toLowerCase().startsWith('p') ? 12 : 0)
  }
  const zone = zoneAfterTime.exec(rest.slice(clock[0].length))?.[1]
  return clockOf(String(hour), clock[2], clock[3], undefined, zone)
}

/** Returns `THH:MM[:SS[.sss]][offset]`, or '' for an absent or impossible time of day. */
export function clockOf(
  hour: string | undefined,
  minute: string | undefined,
  second: string | undefined,
  fraction: string | undefined,
  zone: string | undefined,
): string {
  if (hour === undefined || minute === undefined || +hour > 23 || +minute > 59 || +(second ?? 0) > 59) return ''
  const seconds = second === undefined ? '' : `:${second}${fraction ? `.${fraction.slice(0, 3).padEnd(3, '0')}` : ''}`
  return `T${hour.padStart(2, '0')}:${minute}${seconds}${zone === undefined ? '' : utcOffset(zone)}`
}
