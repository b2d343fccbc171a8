import type { FastifyRequest } from 'fastify'
import { type CountByAddress, sameSecret } from '../../../service/accounts/index.ts'
import { ServiceError } from '../../../service/index.ts'
import type { App } from '../schema/route-schema.ts'
import { bearerToken } from './keys.ts'
import { addWayIn } from './way-in.ts'

/** How administrators are recognized, and how their requests are limited. */
export interface Administrators {
  token: string
  /** Counts requests with and without the token, by address. */
  count: CountByAddress
}

/** Returns true if a request has the admin token. */
export function isAdministrator({ headers }: FastifyRequest, token: string): boolean {
  const presented = bearerToken(headers)
  return presented !== undefined && sameSecret(presented, token)
}

/**
 * Makes a plugin the way in of administrators. The rate limit (429) comes before the token is compared (401), so that nobody
 * can try tokens fast.
 */
export function admitAdministrators(app: App, { token, count }: Administrators): void {
  addWayIn(
    app,
    async request => ({
      limit: await count(request.ip),
      presentsCredential: bearerToken(request.headers) !== undefined,
    }),
    ({ limit }, request) => {
      if (limit?.refusal) throw limit.refusal
      if (isAdministrator(request, token)) return
      throw new ServiceError('unauthorized', 'Send the admin token as Authorization: Bearer.')
    },
  )
}
