import { z } from 'zod'
import { createKeylessLimit, sameSecret } from '../../../service/accounts/index.ts'
import { ServiceError, timestamp } from '../../../service/index.ts'
import type { Administrators } from '../admission/administrators.ts'
import { admitEverybody, countAddresses, limitHeaders } from '../admission/way-in.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'

/** Attempts to sign in from one address. The admin token is long, so this is for whoever pastes the wrong one a few times. */
const SIGN_INS = { perSecond: 10, perHour: 60 }

const session = named('AdminSession', {
  type: 'object',
  properties: {
    signed_in: { type: 'boolean' },
    expires_at: { type: ['string', 'null'], format: 'date-time', description: 'when the session ends' },
  },
  required: ['signed_in', 'expires_at'],
  additionalProperties: false,
})

const wireSession = (expiresAt: number | undefined) => ({
  signed_in: expiresAt !== undefined,
  expires_at: timestamp(expiresAt) ?? null,
})

const schemas = {
  read: {
    operationId: 'admin_session',
    summary: 'Administration: is this browser signed in?',
    responses: { 200: jsonAnswer('Whether the browser is signed in.', session), ...failures(always) },
  },
  start: {
    operationId: 'admin_sign_in',
    summary: 'Administration: sign in with the admin token, for a session of 12 hours in a cookie',
    body: z.strictObject({ token: z.string().max(1_000).describe('the admin token') }),
    responses: {
      200: jsonAnswer(
        'The session that began. Its cookie is `asof_session`, with the port behind it if the URL names one: `asof_session_8787`.',
        session,
      ),
      ...failures([...always, 'unauthorized', 'payload_too_large']),
    },
  },
  end: {
    operationId: 'admin_sign_out',
    summary: 'Administration: end the session of this browser',
    responses: { 200: jsonAnswer('The session has ended.', session), ...failures([...always, 'forbidden']) },
  },
}

/** Adds the routes with which an administrator signs in and out in a browser. */
export function addSessionRoutes(app: App, { token, sessions, count }: Administrators): void {
  const attempts = createKeylessLimit(SIGN_INS)
  // Whoever signs in has requests of their own, so signing in does not need any that are left for the address.
  admitEverybody(app, countAddresses(count))
  app.get('/admin/session', { schema: schemas.read, exposeHeadRoute: false }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    return wireSession(sessions.expiryOf(request))
  })
  app.post('/admin/session', { schema: schemas.start }, async (request, reply) => {
    const standing = await attempts(request.ip)
    if (standing.refusal) {
      reply.headers(limitHeaders(standing))
      throw standing.refusal
    }
    if (!sameSecret(request.body.token, token)) throw new ServiceError('unauthorized', 'This is not the admin token.')
    reply.header('cache-control', 'no-store')
    return wireSession(sessions.start(request, reply))
  })
  app.delete('/admin/session', { schema: schemas.end }, async (request, reply) => {
    sessions.end(request, reply)
    return wireSession(undefined)
  })
}
