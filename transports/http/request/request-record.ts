import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { CallCharge } from '../../../service/accounts/index.ts'
import { type ServiceError, type WireErrorName, wireErrors } from '../../../service/index.ts'

const acceptable = /^[A-Za-z0-9._-]{8,64}$/

/**
 * Returns the id of a request. Uses the `X-Request-Id` of the request if it has 8 to 64 letters, digits, dots, underscores or
 * hyphens, so that proxies and callers find the request in their logs. Makes a new id otherwise.
 */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID()
}

/** Sets the header `X-Request-Id` of every answer, also of CORS preflights. */
export function addRequestIds(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The charges of the request to an account. A request makes one call, or several in a dialect. */
    charges: readonly CallCharge[] | undefined
    /** The error with which the request was answered. */
    refusal: ServiceError | undefined
  }
}

/** An answered request for logs and metrics. It contains no parameters and no secrets. */
export interface AnsweredRequest {
  /** The `X-Request-Id` of the answer. */
  requestId: string
  method: string
  /** The pattern of the route, or `unknown`. */
  route: string
  /** The HTTP status of the answer. */
  status: number
  /** Time until the answer was sent, ms. */
  durationMs: number
  /** Id of the organization of the caller's key. */
  organization?: string
  /** Name of the calling application on keyless routes (`X-Service-Title`), at most 256 characters. */
  applicationTitle?: string
  /** The `error` of a refusal (spec 2.7). */
  error?: (typeof wireErrors)[WireErrorName]['error']
  /** The charges of its calls: one, or several in a dialect. Absent if nothing was charged. */
  charges?: readonly CallCharge[]
}

/** Calls `record` for every request after its answer was sent. */
export function addAnswerRecords(app: FastifyInstance, record: (answered: AnsweredRequest) => void): void {
  app.decorateRequest('charges', undefined)
  app.decorateRequest('refusal', undefined)
  app.decorateRequest('applicationTitle', undefined)
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, refusal, charges, applicationTitle } = request
    record({
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 100) / 100,
      organization: caller?.organization.id,
      applicationTitle,
      error: refusal && wireErrors[refusal.kind].error,
      charges,
    })
    done()
  })
}
