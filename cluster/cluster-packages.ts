import type { OptionalPackages } from '@asof/extract/errors'

/** The packages that only a cluster needs. */
export const clusterPackages: OptionalPackages = {
  feature: 'A cluster',
  install: ['@opensearch-project/opensearch@3', 'postgres@3'],
}

/** The package that only a cluster with an object store on S3 needs. */
export const s3Packages: OptionalPackages = {
  feature: 'An object store on S3',
  install: ['@aws-sdk/client-s3@3'],
}
