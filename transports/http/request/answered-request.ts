import type { FastifyInstance } from 'fastify'
import type { Draw } from '../../../service/accounts/index.ts'
import { type ServiceError, type WireErrorName, wireErrors } from '../../../service/index.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The charge of a request with a key. */
    draw: Draw | undefined
    /** The refusal that the request was answered with. */
    refusal: ServiceError | undefined
  }
}

/** An answered request for logs and metrics. It contains no parameters and no secrets. */
export interface AnsweredRequest {
  requestId: string
  method: string
  /** The pattern of the route, or `unknown`. */
  route: string
  status: number
  durationMs: number
  /** Id of the organization of the caller's key. */
  organization?: string
  /** Name of the calling application on keyless routes (`X-Service-Title`), at most 256 characters. */
  serviceTitle?: string
  /** The `error` of a refusal (spec 2.7). */
  error?: (typeof wireErrors)[WireErrorName]['error']
  draw?: Draw
}

/** Calls `record` for every request after its answer was sent. */
export function addAnswerRecords(app: FastifyInstance, record: (answered: AnsweredRequest) => void): void {
  app.decorateRequest('draw', undefined)
  app.decorateRequest('refusal', undefined)
  app.decorateRequest('serviceTitle', undefined)
  app.addHook('onResponse', (request, reply, done) => {
    const { caller, refusal, draw, serviceTitle } = request
    record({
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      durationMs: Math.round(reply.elapsedTime * 100) / 100,
      organization: caller?.organization.id,
      serviceTitle,
      error: refusal && wireErrors[refusal.kind].error,
      draw,
    })
    done()
  })
}
