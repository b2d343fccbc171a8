import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../../service/index.ts'
import type { HttpSettings } from '../settings.ts'

/** No page has this URL (RFC 2606): looking for it reads the index and finds nothing. */
const PROBED_URL = 'https://readyz.invalid/'

/** `/healthz`: the process answers. `/readyz`: it can answer questions, and is not about to stop. */
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
      throw new ServiceError('overloaded', 'The index can not be read.', { cause, retryAfterSeconds: 1 })
    }
    return { status: 'ready' }
  })
}
