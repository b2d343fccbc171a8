import { modeNeedsKey, ServiceError } from '../../service/index.ts'

/** The mode that a body asks for, before the body is checked. */
export function modeOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'mode' in body ? body.mode : undefined
}

/**
 * Refuses a mode that only callers with a key may ask for.
 *
 * @param error - the refusal of a route that takes no keys.
 * @throws ServiceError
 */
export function refuseKeyedMode(mode: unknown, error: 'unauthorized' | 'forbidden'): void {
  if (modeNeedsKey(mode)) throw new ServiceError(error, `mode ${String(mode)} needs an API key`)
}
