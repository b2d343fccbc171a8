/** Country domains that sites of all countries use, according to Google's documentation of geotargeting. */
const genericCountryDomains = new Set('ad ai as bz cc cd co dj fm io la me ms nu sc sr su tk tv ws'.split(' '))

/**
 * Returns the local time at an instant, such as `2020-05-04T23:10:00+02:00`, in the country of the site's domain.
 *
 * @param at - epoch milliseconds.
 * @returns undefined if the domain has no country, or if the day differed between time zones of the country.
 */
export function clockAtSite(url: string, at: number): string | undefined {
  const domain = URL.parse(url)?.hostname.split('.').at(-1) ?? ''
  if (!/^[a-z]{2}$/.test(domain) || genericCountryDomains.has(domain)) return undefined
  let shown: string | undefined
  for (const zone of zonesOf(domain === 'uk' ? 'gb' : domain)) {
    const there = clockIn(zone, at)
    if (shown !== undefined && shown.slice(0, 10) !== there.slice(0, 10)) return undefined
    shown ??= there
  }
  return shown
}

/** The method `getTimeZones` of ECMA-402, which TypeScript's library lacks, and the property that Node 22 has in its place. */
interface WithTimeZones {
  getTimeZones?(): readonly string[] | undefined
  timeZones?: readonly string[]
}

const zonesByCountry = new Map<string, readonly string[]>()
const clocks = new Map<string, Intl.DateTimeFormat>()

function zonesOf(country: string): readonly string[] {
  let zones = zonesByCountry.get(country)
  if (zones === undefined) {
    const locale: Intl.Locale & WithTimeZones = new Intl.Locale(`und-${country}`)
    zones = locale.getTimeZones?.() ?? locale.timeZones ?? []
    zonesByCountry.set(country, zones)
  }
  return zones
}

function clockIn(timeZone: string, at: number): string {
  let clock = clocks.get(timeZone)
  if (clock === undefined) {
    // The Swedish format is that of ISO 8601.
    clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    clocks.set(timeZone, clock)
  }
  const shown = clock.format(at).replace(' ', 'T')
  const minutes = Math.round((Date.parse(`${shown}Z`) - at) / 60_000)
  const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${shown}${minutes < 0 ? '-' : '+'}${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}
