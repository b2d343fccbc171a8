import type { FastifyInstance } from 'fastify'
import type { Draw } from '../../service/accounts/index.ts'
import { type ServiceError, type WireErrorName, wireErrors } from '../../service/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What it was charged, on a keyed route. */
    draw: Draw | undefined
    /** The refusal that it was answered with. */
    refusal: ServiceError | undefined
  }
}

/** A request that was answered, as logs and metrics know it: nothing that it asked for, no secret. */
export interface AnsweredRequest {
  requestId: string
  method: string
  /** The pattern of the route, or `unknown`. */
  route: string
  status: number
  durationMs: number
  /** Id of the organisation whose key it had. */
  organisation?: string
  /** What a keyless caller calls itself: `X-Service-Title`, at most 256 characters. */
  serviceTitle?: string
  /** The `error` of a refusal. */
  error?: (typeof wireErrors)[WireErrorName]['error']
  draw?: Draw
}

/** Tells of every request once its answer has gone out. */
export function addAnswerRecords(app: FastifyInstance, tell: (answered: AnsweredRequest) => void): void {
  app.decorateRequest('draw', undefined)
  app.decorateRequest('refusal', undefined)
  app.decorateRequest('serviceTitle', undefined)
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, refusal, draw, serviceTitle } = request
    tell({
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 100) / 100,
      ...(caller && { organisation: caller.organisation.id }),
      ...(serviceTitle !== undefined && { serviceTitle }),
      ...(refusal && { error: wireErrors[refusal.kind].error }),
      ...(draw && { draw }),
    })
    done()
  })
}
