import type { FastifyInstance } from 'fastify'
import { admitAdministrator } from '../routes/admin-routes.ts'
import type { Metrics } from './metrics.ts'

/**
 * `/metrics`, for Prometheus.
 *
 * @param token - who may read it must present this; without one, anyone may.
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
