import { ServiceError } from '../service/index.ts'
import type { Organisation } from './directory.ts'

/** The parts of a search or fetch that a retention policy looks at. */
export interface RetainedParts {
  mode?: string
  enable_wizards?: boolean | undefined
  prompt?: string | undefined
}

/**
 * Refuses what an organisation under zero data retention can't ask for (spec part 7).
 *
 * @throws ServiceError zdr_wizards_unsupported | zdr_prompt_unsupported | zdr_unsupported_profile
 */
export function refuseUnderZeroRetention({ zdr }: Organisation, request: RetainedParts): void {
  if (!zdr) return
  const { mode, enable_wizards, prompt } = request
  const policy = "under this organization's zero data retention policy."
  if (enable_wizards) throw new ServiceError('zdr_wizards_unsupported', `Wizards are not available ${policy}`)
  if (prompt !== undefined) throw new ServiceError('zdr_prompt_unsupported', `Prompts are not available ${policy}`)
  if (mode !== undefined && mode !== 'pro' && mode !== 'realtime') {
    throw new ServiceError('zdr_unsupported_profile', `Only the modes pro and realtime are available ${policy}`)
  }
}
