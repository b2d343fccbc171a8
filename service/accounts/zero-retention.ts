import { ServiceError } from '../contract/errors.ts'

/** The fields of a search or fetch that a retention policy restricts. */
export interface RetainedParts {
  mode?: string
  prompt?: string | undefined
}

/**
 * Rejects requests that are not allowed under zero data retention (spec part 7). Wizards are not checked here: the search
 * itself rejects them.
 *
 * @throws ServiceError zdr_prompt_unsupported | zdr_unsupported_profile
 */
export function refuseUnderZeroRetention({ zdr }: { zdr: boolean }, request: RetainedParts): void {
  if (!zdr) return
  const { mode, prompt } = request
  const policy = "under this organization's zero data retention policy."
  if (prompt !== undefined) throw new ServiceError('zdr_prompt_unsupported', `Prompts are not available ${policy}`)
  if (mode !== undefined && mode !== 'pro' && mode !== 'realtime') {
    throw new ServiceError('zdr_unsupported_profile', `Only the modes pro and realtime are available ${policy}`)
  }
}
