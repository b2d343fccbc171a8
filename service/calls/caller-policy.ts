import { refusedFields, ServiceError, type WireErrorName } from '../contract/errors.ts'
import type { SearchRequest } from '../contract/search-schemas.ts'

/** The policy of a caller's organization. The defaults apply to a caller without one. */
export interface CallerPolicy {
  /** Zero data retention. Default false. */
  zdr?: boolean
  /** Enables wizards for requests without `enable_wizards`. Default false. */
  wizardsByDefault?: boolean
}

/** Returns the error for a field that zero data retention does not allow. */
export function refusedByRetention(kind: WireErrorName, path: string, reason: string): ServiceError {
  const policy = "under this organization's zero data retention policy."
  return refusedFields(kind, [{ path, reason: `${reason} ${policy}` }])
}

/** The option `models` of a caller's searches. A model may belong to a third party that stores the queries it receives. */
export function modelsFor({ zdr = false }: CallerPolicy): false | undefined {
  return zdr ? false : undefined
}

const LEFT_OUT = 'wizards were left out: this organization is under a zero data retention policy'

/**
 * Decides whether wizards answer a search. Wizards that are enabled by default answer in `pro` mode only, and are left out
 * with a warning under zero data retention.
 *
 * @throws ServiceError zdr_wizards_unsupported - the request itself enables wizards under zero data retention.
 */
export function wizardsWanted(
  { enable_wizards, mode }: SearchRequest,
  { zdr = false, wizardsByDefault = false }: CallerPolicy,
): { wanted: boolean; warning?: string } {
  if (enable_wizards === true && zdr) {
    throw new ServiceError(
      'zdr_wizards_unsupported',
      'enable_wizards: an organization under a zero data retention policy cannot use wizards; leave it out',
      { details: [{ path: 'enable_wizards', reason: 'not available under a zero data retention policy' }] },
    )
  }
  if (!(enable_wizards ?? (wizardsByDefault && mode === 'pro'))) return { wanted: false }
  return zdr ? { wanted: false, warning: LEFT_OUT } : { wanted: true }
}
