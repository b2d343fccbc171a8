import type { FastifyRequest } from 'fastify'
import { bearerToken } from './credentials.ts'

/** True if a request presents a credential of the kind that its route accepts. */
function presentsCredential({ headers, routeOptions }: FastifyRequest): boolean {
  const { admits } = routeOptions.config
  if (admits === 'key' && typeof headers['x-api-key'] === 'string' && headers['x-api-key'].trim() !== '') return true
  return (admits === 'key' || admits === 'agent' || admits === 'administrator') && bearerToken(headers) !== undefined
}

/**
 * The `WWW-Authenticate` header of a 401 (RFC 6750, 3). It has the error `invalid_token` if the request presented a
 * credential, and no error if it had none or the route accepts none.
 */
export function bearerChallenge(request: FastifyRequest): string {
  return presentsCredential(request) ? 'Bearer realm="asof", error="invalid_token"' : 'Bearer realm="asof"'
}
