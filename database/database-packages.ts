import type { OptionalPackages } from '@asof/extract/errors'

/** What sharing data in PostgreSQL needs. */
export const databasePackages: OptionalPackages = { feature: 'Sharing data in PostgreSQL', install: ['postgres@3'] }
