import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../../service/index.ts'
import type { HttpSettings } from '../settings.ts'

/** A URL that no page has (RFC 2606). Its lookup reads the index and finds nothing. */
const PROBED_URL = 'https://readyz.invalid/'

/** Adds `/healthz`, which answers while the process runs, and `/readyz`, which fails if the index can't be read or the server stops. */
export function addHealthRoutes(app: FastifyInstance, engine: HttpSettings['engine']): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    if (closing) throw new ServiceError('overloaded', 'The server is about to stop.', { retryAfterSeconds: 1 })
    try {
      await engine?.page(PROBED_URL)
    } catch (cause) {
      throw new ServiceError('overloaded', "The index can't be read.", { cause, retryAfterSeconds: 1 })
    }
    return { status: 'ready' }
  })
}
