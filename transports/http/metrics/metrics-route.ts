import type { FastifyInstance } from 'fastify'
import { admitAdministrator } from '../limits/admission.ts'
import type { Metrics } from './metrics.ts'

/**
 * Adds `/metrics`, for Prometheus.
 *
 * @param token - the bearer token that it needs. Without it, anyone may read the metrics.
 */
export function addMetricsRoute(app: FastifyInstance, metrics: Metrics, token: string | undefined): void {
  app.route({
    method: 'GET',
    url: '/metrics',
    exposeHeadRoute: false,
    ...(token !== undefined && { config: { admits: 'administrator' } }),
    handler: async (request, reply) => {
      if (token !== undefined) admitAdministrator(request, token)
      return reply.type(metrics.contentType).send(await metrics.text())
    },
  })
}
