/**
 * Hours east of UTC, by abbreviation: the American zones of RFC 822, section 5.1, and others whose abbreviation is used for one
 * zone. Abbreviations of several zones, such as IST, are left out.
 */
const zones = new Map<string, number>(
  (
    'EST -5,EDT -4,CST -6,CDT -5,MST -7,MDT -6,PST -8,PDT -7,AKST -9,AKDT -8,HST -10,WET 0,WEST 1,BST 1,CET 1,' +
    'CEST 2,MEZ 1,MESZ 2,EET 2,EEST 3,MSK 3,WIB 7,HKT 8,SGT 8,JST 9,KST 9,AEST 10,AEDT 11,NZST 12,NZDT 13'
  )
    .split(',')
    .map(zone => [zone.slice(0, zone.indexOf(' ')), Number(zone.slice(zone.indexOf(' ')))]),
)

/**
 * The source of a regular expression for a zone after a time of day: `Z`, `+0200`, `+02:00`, `-7`, `GMT`, `GMT+0200`,
 * `UTC-7`, `EST`. The minus may be that of typography (U+2212). An abbreviation need not be one that {@link utcOffset}
 * knows. For the flag `u`.
 */
export const zonePattern =
  '(?:(?:UTC|GMT|UT)(?:\\s?[+\\-−]\\d{1,2}(?::?\\d{2})?)?|[+\\-−]\\d{2}(?::?\\d{2})?|[Zz]|[A-Z]{2,5})(?![\\p{L}\\d])'

/**
 * Returns the offset of a zone: `Z` or `±HH:MM`. `-0000` is `Z`: the instant is known, the local time is not (RFC 5322,
 * section 3.3).
 *
 * @returns '' if the zone is unknown or has no possible offset.
 */
export function utcOffset(zone: string): string {
  const upper = zone.toUpperCase()
  if (/^(?:Z|UTC|GMT|UT)$/.test(upper)) return 'Z'
  const [, sign, hour, minute = '00'] = /^(?:UTC|GMT|UT)?\s?([+\-−])(\d{1,2}?)(?::?(\d{2}))?$/.exec(upper) ?? []
  if (sign !== undefined) return offset(sign === '+', Number(hour), Number(minute))
  const hours = zones.get(zone)
  return hours === undefined ? '' : offset(hours >= 0, Math.abs(hours), 0)
}

function offset(isEast: boolean, hour: number, minute: number): string {
  if (hour > 14 || minute > 59) return ''
  if (!isEast && hour === 0 && minute === 0) return 'Z'
  return `${isEast ? '+' : '-'}${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}
