import { randomUUID } from 'node:crypto'
import fastify, { type FastifyInstance } from 'fastify'
import { type Service, ServiceError } from '../service/index.ts'
import { addAdminRoutes } from './admin-routes.ts'
import { addAdmission } from './admission.ts'
import { answerParserFailure, sendFailure, wireFailure } from './error-response.ts'
import { addKeyedRoutes } from './keyed-routes.ts'
import { addKeylessRoutes } from './keyless-routes.ts'
import { openApiDocument } from './openapi.ts'
import { type HttpSettings, httpDefaults } from './settings.ts'

/** Lets a connection that is busy when the server closes end with its answer rather than with its keep-alive time. */
function addDrain(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close')
  })
}

/** One proxy in front is the first hop: trusting more would let the client write its own address. */
function trustedProxies(setting: HttpSettings['trustProxy']) {
  return setting === true ? (_address: string, hop: number) => hop < 1 : (setting ?? false)
}

/**
 * The HTTP server over the use cases: keyless routes (E2, E4), with `access` keyed ones (E1, E3), with a token those of
 * administration, `/healthz` and `/openapi.json`. It does not listen yet.
 * Every failure, Fastify's own included, has the shape of spec 2.7.
 */
export function createServer(service: Service, settings: HttpSettings = {}): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: httpDefaults.bodyLimitBytes,
    requestTimeout: httpDefaults.requestTimeoutMs,
    handlerTimeout: httpDefaults.answerTimeoutMs,
    forceCloseConnections: 'idle',
    // While closing, what still arrives on an open connection is answered in full; the engine closes after the server.
    return503OnClosing: false,
    trustProxy: trustedProxies(settings.trustProxy),
    genReqId: () => randomUUID(),
    // Node's own refusal has no body; `addAdmission` refuses in the shape of spec 2.7.
    http: { requireHostHeader: false },
    clientErrorHandler: answerParserFailure,
    frameworkErrors: (failure, request, reply) => {
      sendFailure(reply.header('x-request-id', request.id), wireFailure(failure))
    },
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler((failure, request, reply) => {
    const error = wireFailure(failure)
    if (error.status === 500) settings.onFailure?.(error.cause ?? error, { requestId: request.id })
    return sendFailure(reply, error)
  })
  // Having a handler is what makes the hooks run, and refuse, on unknown routes too.
  app.setNotFoundHandler((_request, reply) =>
    sendFailure(reply, new ServiceError('not_found', 'There is no such path.')),
  )
  // An expectation that we don't know may be ignored (RFC 9110, 10.1.1); Node's own 417 has no body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  addAdmission(app, settings)
  addDrain(app)

  addKeylessRoutes(app, service)
  const { access, adminToken, baseUrl } = settings
  if (access) addKeyedRoutes(app, service, access)
  if (access && adminToken !== undefined) addAdminRoutes(app, access, adminToken)
  app.get('/healthz', async () => ({ status: 'ok' }))
  const document = openApiDocument({ keyed: access !== undefined, ...(baseUrl === undefined ? {} : { baseUrl }) })
  app.get('/openapi.json', async () => document)
  return app
}

/**
 * Starts listening.
 *
 * @param options.port - 0 picks a free port.
 * @returns the address it answers at, without a trailing slash.
 * @throws the system's error (`EADDRINUSE`, `EACCES`, …)
 */
export function listen(app: FastifyInstance, options: { host: string; port: number }): Promise<string> {
  return app.listen(options)
}
