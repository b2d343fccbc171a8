import { type Administrators, admitAdministrators } from '../limits/administrators.ts'
import type { App } from '../schema/route-schema.ts'
import type { Metrics } from './metrics.ts'

/**
 * Adds `/metrics`, for Prometheus.
 *
 * @param administrators - who may read the metrics. Default: anyone.
 */
export function addMetricsRoute(app: App, metrics: Metrics, administrators?: Administrators): void {
  if (administrators) admitAdministrators(app, administrators)
  app.get('/metrics', { exposeHeadRoute: false }, async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.text()),
  )
}
