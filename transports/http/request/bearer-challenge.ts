import type { FastifyRequest } from 'fastify'
import { bearerToken } from '../../service/accounts/index.ts'

/** Whether a request presents a credential of the kind that its route takes. */
function presentsCredential({ headers, routeOptions }: FastifyRequest): boolean {
  const { admits } = routeOptions.config
  if (admits === 'key' && typeof headers['x-api-key'] === 'string' && headers['x-api-key'].trim() !== '') return true
  return (admits === 'key' || admits === 'administrator') && bearerToken(headers) !== undefined
}

/**
 * The `WWW-Authenticate` of a 401 (RFC 6750, 3): it says `invalid_token` if a credential was given, and names no error if the
 * request had none or the route takes none.
 */
export function bearerChallenge(request: FastifyRequest): string {
  return presentsCredential(request) ? 'Bearer realm="asof", error="invalid_token"' : 'Bearer realm="asof"'
}
