import type { RateLimits } from '../../../store/advisor/index.ts'

/** The limits of the contract, part 8, and that of organizations. */
export const limits: RateLimits = {
  keyless: { perSecond: 10, perHour: 1_000 },
  walletPerSecond: 10,
  organizationPerSecond: 50,
}
