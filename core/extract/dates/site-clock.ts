/**
 * Country domains that are sold as generic ones, as Google's documentation of geotargeting lists them: an address under
 * these says nothing of a country.
 */
const genericCountryDomains = new Set('ad ai as bz cc cd co dj fm io la me ms nu sc sr su tk tv ws'.split(' '))

/**
 * An instant by the clocks of the country that a site's domain names, as `2020-05-04T23:10:00+02:00`. `undefined` when
 * the domain names none, or clocks there showed different days.
 *
 * @param at - epoch ms.
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

/** Part of ECMA-402, not yet of TypeScript's library. */
interface WithTimeZones {
  getTimeZones?(): readonly string[] | undefined
}

const zonesByCountry = new Map<string, readonly string[]>()
const clocks = new Map<string, Intl.DateTimeFormat>()

function zonesOf(country: string): readonly string[] {
  let zones = zonesByCountry.get(country)
  if (zones === undefined) {
    const locale: Intl.Locale & WithTimeZones = new Intl.Locale(`und-${country}`)
    zones = locale.getTimeZones?.() ?? []
    zonesByCountry.set(country, zones)
  }
  return zones
}

function clockIn(timeZone: string, at: number): string {
  let clock = clocks.get(timeZone)
  if (clock === undefined) {
    // Swedish writes dates as ISO 8601 does.
    clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    clocks.set(timeZone, clock)
  }
  const shown = clock.format(at).replace(' ', 'T')
  const minutes = Math.round((Date.parse(`${shown}Z`) - at) / 60_000)
  const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `${shown}${minutes < 0 ? '-' : '+'}${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}
