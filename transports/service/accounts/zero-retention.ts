import { ServiceError } from '../index.ts'
import type { Organisation } from './directory.ts'

/** The parts of a search or fetch that a retention policy looks at. */
export interface RetainedParts {
  mode?: string
  prompt?: string | undefined
}

/**
 * Refuses what an organisation under zero data retention can't ask for (spec part 7), but for wizards: the search itself
 * refuses those.
 *
 * @throws ServiceError zdr_prompt_unsupported | zdr_unsupported_profile
 */
export function refuseUnderZeroRetention({ zdr }: Organisation, request: RetainedParts): void {
  if (!zdr) return
  const { mode, prompt } = request
  const policy = "under this organization's zero data retention policy."
  if (prompt !== undefined) throw new ServiceError('zdr_prompt_unsupported', `Prompts are not available ${policy}`)
  if (mode !== undefined && mode !== 'pro' && mode !== 'realtime') {
    throw new ServiceError('zdr_unsupported_profile', `Only the modes pro and realtime are available ${policy}`)
  }
}
