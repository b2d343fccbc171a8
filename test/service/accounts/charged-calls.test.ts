import { describe, expect, it } from 'vitest'
import { refuseUnderZeroRetention } from '../../../service/accounts/charged-calls.ts'
import type { Organization } from '../../../service/accounts/index.ts'

const organization: Organization = {
  id: 'org_a',
  name: 'A',
  zdr: true,
  wizards: false,
  rateLimit: 50,
  allowance: 0,
  createdAt: 0,
}

describe('zero data retention', () => {
  it.each([
    [{ prompt: 'sum it up' }, 'zdr_prompt_unsupported'],
    [{ mode: 'webql' }, 'zdr_unsupported_profile'],
    [{ mode: 'realtime_content' }, 'zdr_unsupported_profile'],
  ])('refuses %j with 400 %s', (request, kind) => {
    expect(() => refuseUnderZeroRetention(organization, request)).toThrow(
      expect.objectContaining({ kind, statusCode: 400 }),
    )
    refuseUnderZeroRetention({ ...organization, zdr: false }, request)
  })

  it.each([{ mode: 'pro' }, { mode: 'realtime' }, {}])('accepts %j', request => {
    refuseUnderZeroRetention(organization, request)
  })
})
