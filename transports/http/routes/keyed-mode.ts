import { modeNeedsKey, ServiceError } from '../../../service/index.ts'

/** The search mode of a body that has not been checked yet. */
export function modeOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'mode' in body ? body.mode : undefined
}

/**
 * Refuses a search mode that needs a key, on a route without keys.
 *
 * @param error - the error of the refusal.
 * @throws ServiceError - the mode needs a key.
 */
export function refuseKeyedMode(mode: unknown, error: 'unauthorized' | 'forbidden'): void {
  if (modeNeedsKey(mode)) throw new ServiceError(error, `mode: ${String(mode)} needs an API key`)
}
