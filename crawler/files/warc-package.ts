import { loadOptional, type OptionalPackages } from '@asof/extract/errors'

export type Warcio = typeof import('warcio')

export const archivePackages: OptionalPackages = { feature: 'Writing web archives', install: ['warcio@2'] }

/** @throws ASOF_PACKAGE_MISSING - warcio is not installed. */
export function loadWarcio(): Promise<Warcio> {
  return loadOptional(archivePackages, () => import('warcio'))
}
