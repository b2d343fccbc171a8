import { readFile } from 'node:fs/promises'
import { loadOptional, type OptionalPackages } from '@asof/core'
import type { CityResponse } from 'maxmind'
import { ServiceError } from '../index.ts'

/** Where a caller is, as ISO 3166 has it: a country, and a subdivision with or without its country (`UA-09`, `09`). */
export interface Place {
  country?: string
  region?: string
}

/** Looks up the place of an address; an empty place if it is not known. */
export type Locate = (address: string) => Place

/** Names of the headers in which a trusted proxy states the caller's country and subdivision. */
export interface RegionHeaders {
  country: string
  /** Required: the country alone lets Crimea, Donetsk and Luhansk pass. */
  region: string
}

/**
 * Where the places of callers come from: a database, the headers of a trusted proxy, or both. `'off'` serves callers
 * everywhere, which the operator must choose explicitly.
 */
export type RegionSource = 'off' | { locate: Locate; headers?: RegionHeaders } | { headers: RegionHeaders }

const countries = new Set(['CU', 'IR', 'KP', 'SY'])
/**
 * Subdivisions without leading zeros. Crimea is UA-43 and, since the city on the peninsula is a subdivision of its own,
 * Sevastopol UA-40; RU-CR and RU-SEV are the same two in databases that count them to Russia. Donetsk is UA-14, Luhansk UA-09.
 */
const regions = new Set(['UA-43', 'UA-40', 'UA-14', 'UA-9', 'RU-CR', 'RU-SEV'])

/** `09`, `9` and `UA-09` are one subdivision of Ukraine: databases and proxies differ in zeros and prefix. */
function subdivisionOf({ country = '', region = '' }: Place): string {
  const code = country.trim().toUpperCase()
  const written = region.trim().toUpperCase()
  const bare = written.startsWith(`${code}-`) ? written.slice(code.length + 1) : written
  return `${code}-${bare.replace(/^0+(?=\d)/, '')}`
}

/**
 * Refuses callers from where payments are not offered (spec part 7, 451). A place that is not known is let through.
 *
 * @throws ServiceError unavailable_region
 */
export function refuseRegion(place: Place): void {
  const country = place.country?.trim().toUpperCase() ?? ''
  if (!countries.has(country) && !regions.has(subdivisionOf(place))) return
  throw new ServiceError('unavailable_region', 'Paid access is not offered in your region.')
}

/**
 * The place of a caller. A trusted proxy's word goes before the database; where it names a country alone, the database
 * adds the subdivision if it agrees about the country.
 *
 * @param told - what a trusted proxy states.
 */
export function placeOf(address: string, told: Place | undefined, source: RegionSource): Place {
  const locate = source !== 'off' && 'locate' in source ? source.locate : undefined
  if (told?.country === undefined) return locate?.(address) ?? {}
  if (told.region !== undefined || !locate) return told
  const found = locate(address)
  return found.country?.toUpperCase() === told.country.trim().toUpperCase() ? found : told
}

/**
 * Checks the source of regions that payments are opened with: without one the rule would not be in force.
 *
 * @throws TypeError - no source is given, or its headers do not include one for the subdivision.
 */
export function checkRegionSource(source: unknown): asserts source is RegionSource {
  if (source === 'off') return
  const given = typeof source === 'object' && source !== null ? source : {}
  const { locate, headers } = given as { locate?: unknown; headers?: Partial<RegionHeaders> }
  if (typeof locate !== 'function' && headers === undefined) {
    throw new TypeError(
      "regions: payments are not offered everywhere, so the places of callers must be known; give { locate }, { headers: { country, region } }, or 'off' to serve every region",
    )
  }
  if (headers !== undefined && !(headers.country && headers.region)) {
    throw new TypeError(
      'regions.headers: name both a country header and a region header; the country alone lets Crimea, Donetsk and Luhansk pass',
    )
  }
}

/** MaxMind's record, and the flat one of other publishers for the country. */
type LocationRecord = CityResponse & { country_code?: string }

export const regionPackages: OptionalPackages = { feature: 'Reading a region database', install: ['maxmind@5'] }

/** A database without subdivisions: it can't tell Crimea, Donetsk and Luhansk from the rest of Ukraine. */
export class CountryDatabaseError extends Error {
  override readonly name = 'CountryDatabaseError'
}

/**
 * Opens a database in the MaxMind format.
 *
 * @throws CountryDatabaseError - its type says that it holds countries alone, such as `GeoLite2-Country`.
 * @throws ASOF_PACKAGE_MISSING - maxmind is not installed.
 * @throws the system's error, or that of the reader: no such file, or no such format.
 */
export async function openGeoDatabase(file: string): Promise<Locate> {
  const { Reader } = await loadOptional(regionPackages, () => import('maxmind'))
  const reader = new Reader<LocationRecord>(await readFile(file))
  const { databaseType } = reader.metadata
  if (/country|asn/i.test(databaseType) && !/city|region|location/i.test(databaseType))
    throw new CountryDatabaseError(databaseType)
  return address => {
    const found = reader.get(address.split('%', 1)[0]!)
    const country = found?.country?.iso_code ?? found?.country_code
    const region = found?.subdivisions?.[0]?.iso_code
    return { ...(country !== undefined && { country }), ...(region !== undefined && { region }) }
  }
}
