import { readFile } from 'node:fs/promises'
import type { CityResponse } from 'maxmind'
import { ServiceError } from '../service/index.ts'

/** Where a caller is, as ISO 3166 has it: a country, and a subdivision without its country. */
export interface Place {
  country?: string
  region?: string
}

/** Tells where an address is; an empty place when it is not known. */
export type Locate = (address: string) => Place

const countries = new Set(['CU', 'IR', 'KP', 'SY'])
/** Crimea, Sevastopol, Donetsk, Luhansk; and the first two as databases have them that count them to Russia. */
const regions = new Set(['UA-43', 'UA-40', 'UA-14', 'UA-09', 'RU-CR', 'RU-SEV'])

/**
 * Refuses callers from where payments are not offered (spec part 7, 451). A place that is not known is let through.
 *
 * @throws ServiceError unavailable_region
 */
export function refuseRegion({ country, region }: Place): void {
  const code = country?.trim().toUpperCase() ?? ''
  // Some proxies write the subdivision with its country, some without.
  const subdivision = region?.trim().toUpperCase().replace(`${code}-`, '') ?? ''
  if (!countries.has(code) && !regions.has(`${code}-${subdivision}`)) return
  throw new ServiceError('unavailable_region', 'Paid access is not offered in your region.')
}

/** MaxMind's layout of a record, and of the flat one of others the country. */
type LocationRecord = CityResponse & { country_code?: string }

/**
 * Opens a database of the MaxMind format.
 *
 * @throws the system's error, or that of the reader: no such file, or no such format.
 */
export async function openGeoDatabase(file: string): Promise<Locate> {
  const { Reader } = await import('maxmind')
  const reader = new Reader<LocationRecord>(await readFile(file))
  return address => {
    const found = reader.get(address.split('%', 1)[0]!)
    const country = found?.country?.iso_code ?? found?.country_code
    const region = found?.subdivisions?.[0]?.iso_code
    return { ...(country !== undefined && { country }), ...(region !== undefined && { region }) }
  }
}
