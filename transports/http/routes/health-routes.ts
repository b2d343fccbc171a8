import { ServiceError, type WireErrorName } from '../../../service/index.ts'
import { type App, failures, json, requestIdHeader } from '../schema/route-schema.ts'
import type { HttpSettings } from '../settings.ts'

function probe(operationId: string, summary: string, status: string, refusals: readonly WireErrorName[]) {
  const body = {
    type: 'object',
    properties: { status: { const: status } },
    required: ['status'],
    additionalProperties: false,
  }
  return {
    operationId,
    summary,
    responses: {
      200: { description: 'The check succeeded.', headers: requestIdHeader, content: json(body) },
      ...failures(refusals),
    },
  }
}

const healthz = probe('healthz', 'Check that the server answers', 'ok', [])
const readyz = probe('readyz', 'Check that the server can answer searches and is not stopping', 'ready', ['overloaded'])

/** A URL that no page has (RFC 2606). Looking it up reads the index and finds nothing. */
const PROBED_URL = 'https://readyz.invalid/'

/**
 * Adds `/healthz`, which answers while the process runs, and `/readyz`, which fails if the index can't be read or the server stops. An index
 * in a cluster can be read if every server answers that a search needs.
 */
export function addHealthRoutes(app: App, engine: HttpSettings['engine'], cluster: HttpSettings['cluster']): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.get('/healthz', { schema: healthz }, async () => ({ status: 'ok' }))
  app.get('/readyz', { schema: readyz }, async () => {
    if (closing) throw new ServiceError('overloaded', 'The server is about to stop.', { retryAfterSeconds: 1 })
    try {
      await (cluster ? cluster.expectServers() : engine?.page(PROBED_URL))
    } catch (cause) {
      throw new ServiceError('overloaded', "The index can't be read.", { cause, retryAfterSeconds: 1 })
    }
    return { status: 'ready' }
  })
}
