import type { LimitStanding } from '../../../service/accounts/index.ts'

/** Returns the headers that tell a caller how many requests it has left. `X-RateLimit-Reset` is in seconds. */
export function limitHeaders({ limit, remaining, resetSeconds }: LimitStanding): Record<string, number> {
  return { 'x-ratelimit-limit': limit, 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': resetSeconds }
}
