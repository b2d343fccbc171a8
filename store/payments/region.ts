import { readFile } from 'node:fs/promises'
import { loadOptional, type OptionalPackages } from '@asof/extract/errors'
import type { CityResponse } from 'maxmind'
import { ServiceError } from '../../service/index.ts'

/** The location of a caller, ISO 3166: a country, and a subdivision with or without its country (`UA-09`, `09`). */
export interface CallerLocation {
  /** Two letters, such as `UA`. */
  country?: string
  region?: string
}

/** Returns the location of an address; an empty object if it is unknown. */
export type Locate = (address: string) => CallerLocation

/** Names of the headers in which a trusted proxy sends the caller's country and subdivision. */
export interface RegionHeaders {
  /** The header with the country. */
  country: string
  /** Required, since the country alone does not identify Crimea, Donetsk and Luhansk. */
  region: string
}

/**
 * The source of callers' locations: a database, the headers of a trusted proxy, or both. `'off'` serves callers everywhere;
 * the operator must choose it explicitly.
 */
export type RegionSource = 'off' | { locate: Locate; headers?: RegionHeaders } | { headers: RegionHeaders }

const countries = new Set(['CU', 'IR', 'KP', 'SY'])
/**
 * Subdivisions without leading zeros. Crimea is UA-43. Sevastopol, a city on the peninsula, is UA-40. RU-CR and RU-SEV are
 * Crimea and Sevastopol in databases that assign them to Russia. Donetsk is UA-14, and Luhansk is UA-09.
 */
const regions = new Set(['UA-43', 'UA-40', 'UA-14', 'UA-9', 'RU-CR', 'RU-SEV'])

/**
 * Returns the normal form of a subdivision: `09`, `9` and `UA-09` become `UA-9`. Databases and proxies use different forms.
 */
function subdivisionOf({ country = '', region = '' }: CallerLocation): string {
  const code = country.trim().toUpperCase()
  const written = region.trim().toUpperCase()
  const bare = written.startsWith(`${code}-`) ? written.slice(code.length + 1) : written
  return `${code}-${bare.replace(/^0+(?=\d)/, '')}`
}

/**
 * Rejects callers from regions where payments are not offered (spec part 7, 451). Unknown locations are accepted.
 *
 * @throws ServiceError unavailable_region
 */
export function refuseRegion(place: CallerLocation): void {
  const country = place.country?.trim().toUpperCase() ?? ''
  if (!countries.has(country) && !regions.has(subdivisionOf(place))) return
  throw new ServiceError('unavailable_region', 'Paid access is not offered in your region.')
}

/**
 * Returns the location of a caller. A trusted proxy takes precedence over the database. If the proxy sends only a country,
 * the database adds the subdivision, provided that it has the same country.
 *
 * @param stated - the location that a trusted proxy sent.
 */
export function locationOf(address: string, stated: CallerLocation | undefined, source: RegionSource): CallerLocation {
  const locate = source !== 'off' && 'locate' in source ? source.locate : undefined
  if (stated?.country === undefined) return locate?.(address) ?? {}
  if (stated.region !== undefined || !locate) return stated
  const found = locate(address)
  return found.country?.toUpperCase() === stated.country.trim().toUpperCase() ? found : stated
}

/**
 * Checks that there is a source of locations. Without one, no caller would be rejected for their region.
 *
 * @throws TypeError - there is no source, or no header for the subdivision.
 */
export function checkRegionSource(source: unknown): asserts source is RegionSource {
  if (source === 'off') return
  const given = typeof source === 'object' && source !== null ? source : {}
  const { locate, headers } = given as { locate?: unknown; headers?: Partial<RegionHeaders> }
  if (typeof locate !== 'function' && headers === undefined) {
    throw new TypeError(
      "regions: payments are not offered everywhere, so the locations of callers are needed; give { locate }, { headers: { country, region } }, or 'off' to serve every region",
    )
  }
  if (headers !== undefined && !(headers.country && headers.region)) {
    throw new TypeError(
      'regions.headers: name both a country header and a region header; the country alone does not identify Crimea, Donetsk and Luhansk',
    )
  }
}

/** A record of a database. MaxMind nests the country; other publishers have the field `country_code`. */
type LocationRecord = CityResponse & { country_code?: string }

export const regionPackages: OptionalPackages = { feature: 'Reading a region database', install: ['maxmind@5'] }

/**
 * The error for a database without subdivisions, which can't distinguish Crimea, Donetsk and Luhansk from the rest of
 * Ukraine.
 */
export class CountryDatabaseError extends Error {
  override readonly name = 'CountryDatabaseError'
}

/**
 * Opens a database in the MaxMind format.
 *
 * @throws CountryDatabaseError - the database has only countries, according to its type, such as `GeoLite2-Country`.
 * @throws ASOF_PACKAGE_MISSING - maxmind is not installed.
 * @throws the error of the system or of maxmind - the file is missing or has another format.
 */
export async function openGeoDatabase(file: string): Promise<Locate> {
  const { Reader } = await loadOptional(regionPackages, () => import('maxmind'))
  const reader = new Reader<LocationRecord>(await readFile(file))
  const { databaseType } = reader.metadata
  if (/country|asn/i.test(databaseType) && !/city|region|location/i.test(databaseType))
    throw new CountryDatabaseError(databaseType)
  return address => {
    const found = reader.get(address.split('%', 1)[0] ?? address)
    const country = found?.country?.iso_code ?? found?.country_code
    const region = found?.subdivisions?.[0]?.iso_code
    return { country, region }
  }
}
