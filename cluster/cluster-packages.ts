import type { OptionalPackages } from '@asof/core/internal'

/** The packages that only a cluster needs. */
export const clusterPackages: OptionalPackages = {
  feature: 'A cluster',
  install: ['@opensearch-project/opensearch@3', 'postgres@3'],
}
