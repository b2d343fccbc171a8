import type { FastifyRequest } from 'fastify'
import { modeNeedsKey, ServiceError } from '../../../service/index.ts'
import { postedBody } from '../request/json-body.ts'

/** The search mode of a request that has not been checked yet. */
function modeOf(request: FastifyRequest): unknown {
  const asked = request.method === 'POST' ? postedBody(request)?.value : request.query
  return typeof asked === 'object' && asked !== null && 'mode' in asked ? asked.mode : undefined
}

/**
 * Refuses a search mode that needs a key, on a route without keys.
 *
 * @param error - the error of the refusal.
 * @throws ServiceError - the mode needs a key.
 */
export function refuseKeyedMode(request: FastifyRequest, error: 'unauthorized' | 'forbidden'): void {
  const mode = modeOf(request)
  if (modeNeedsKey(mode)) throw new ServiceError(error, `mode: ${String(mode)} needs an API key`)
}
