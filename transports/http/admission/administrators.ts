import type { FastifyRequest } from 'fastify'
import { type CountByAddress, createAccountLimit, sameSecret } from '../../../service/accounts/index.ts'
import { ServiceError } from '../../../service/index.ts'
import { type App, failures } from '../schema/route-schema.ts'
import { bearerToken } from './keys.ts'
import type { Sessions } from './sessions.ts'
import { addWayIn, type CountRequest } from './way-in.ts'

/** How administrators are recognized, and how their requests are limited. */
export interface Administrators {
  token: string
  sessions: Sessions
  /** Counts requests by address, with or without the admin token. */
  count: CountByAddress
}

/** Returns true if a request has the admin token, or comes from a browser in which an administrator has signed in. */
export function isAdministrator(request: FastifyRequest, { token, sessions }: Administrators): boolean {
  const presented = bearerToken(request.headers)
  if (presented !== undefined) return sameSecret(presented, token)
  return sessions.expiryOf(request) !== undefined
}

/**
 * Counts requests that need no key: those of a browser in which an administrator has signed in by its session, all others by address.
 * Otherwise an operator could not use the console once others behind the same address have used up its requests.
 *
 * @param perSecond - the limit of a session. It has no limit of an hour.
 */
export function countReaders(
  byAddress: CountByAddress,
  administrators: Administrators | undefined,
  perSecond: number,
): CountRequest {
  const bySession = createAccountLimit('of this session')
  return request => {
    const id = administrators?.sessions.idOf(request)
    return id === undefined ? byAddress(request.ip) : bySession({ id, rateLimit: perSecond })
  }
}

/** Names who sent an administrative request, for the audit log. */
export function actorOf({ ip }: FastifyRequest): string {
  return `admin token, from ${ip}`
}

/**
 * Admits administrators to the routes of a plugin. The rate limit (429) is checked before the token (401), so that nobody can
 * try many tokens fast.
 */
export function admitAdministrators(app: App, administrators: Administrators): void {
  addWayIn(
    app,
    async request => ({
      limit: await administrators.count(request.ip),
      presentsCredential: bearerToken(request.headers) !== undefined,
    }),
    (_admission, request) => expectAdministrator(request, administrators),
  )
}

/** @throws ServiceError rate_limited | unauthorized - the request is not that of an administrator. */
export function expectAdministrator(request: FastifyRequest, administrators: Administrators): void {
  const { limit } = request.admission ?? {}
  if (limit?.refusal) throw limit.refusal
  if (isAdministrator(request, administrators)) return
  throw new ServiceError('unauthorized', 'Send the admin token as Authorization: Bearer, or sign in in the console.')
}

const CLOSED =
  'Closed on this server: it answers administrators alone. Callers with an API key use the route without `/public`.'

/**
 * Refuses everybody but administrators on the routes of a plugin that need no key otherwise. The rate limit comes first, as in
 * {@link admitAdministrators}. The OpenAPI document says so. Add the way in of the plugin and its routes afterwards.
 *
 * @param administrators - undefined: nobody is admitted.
 */
export function keepPrivate(app: App, administrators: Administrators | undefined): void {
  app.addHook('onRoute', route => {
    const { schema } = route
    if (!schema) return
    route.schema = {
      ...schema,
      security: [{ AdminToken: [] }],
      description: [schema.description, CLOSED].filter(Boolean).join(' '),
      responses: { ...schema.responses, ...failures(['unauthorized']) },
    }
  })
  app.addHook('preValidation', async request => {
    if (request.admission?.limit?.refusal) throw request.admission.limit.refusal
    if (administrators && isAdministrator(request, administrators)) return
    throw new ServiceError('unauthorized', 'This server needs an API key, or an administrator who has signed in.')
  })
}
