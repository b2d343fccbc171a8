import { ServiceError } from '../contract/errors.ts'
import type { SearchRequest } from '../contract/schemas.ts'

/** What the organisation of a caller allows and asks for. Everything off is what a caller without one gets. */
export interface CallerPolicy {
  /** Zero data retention. Default false. */
  zdr?: boolean
  /** Whether a request that does not say gets wizards. Default false. */
  wizardsByDefault?: boolean
}

const LEFT_OUT = 'wizards were left out: this organization is under a zero data retention policy'

/**
 * Whether wizards are asked. Those that are on by default are so in `pro` mode alone, and left out under zero data
 * retention, with a warning.
 *
 * @throws ServiceError zdr_wizards_unsupported - the request asks for them under zero data retention.
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
