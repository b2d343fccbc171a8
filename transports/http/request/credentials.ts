import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '../../../service/index.ts'

/** Returns the token of `Authorization: Bearer`. The scheme is case-insensitive (RFC 9110, 11.1). */
export function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
  return authorization === undefined ? undefined : /^bearer +(\S+) *$/i.exec(authorization)?.[1]
}

/**
 * Returns the API key of a request: from `X-API-Key`, else from `Authorization: Bearer` (spec part 5).
 *
 * @throws ServiceError unauthorized - the request has none.
 */
export function presentedKey(headers: IncomingHttpHeaders): string {
  const given = headers['x-api-key']
  const key = given === undefined ? bearerToken(headers) : [given].flat().join().trim()
  if (key) return key
  throw new ServiceError('unauthorized', 'Send an API key in X-API-Key or as Authorization: Bearer.')
}
