import type { OptionalPackages } from '@asof/core/internal'

/** What sharing data in PostgreSQL needs. */
export const databasePackages: OptionalPackages = { feature: 'Sharing data in PostgreSQL', install: ['postgres@3'] }
