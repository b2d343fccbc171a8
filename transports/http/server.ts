import { invalidOption, optionsReader } from '@asof/core'
import cors from '@fastify/cors'
import fastify, { type FastifyInstance } from 'fastify'
import { createKeylessLimit } from '../service/accounts/index.ts'
import { limitWork, type Service, ServiceError } from '../service/index.ts'
import { addCompression } from './compression.ts'
import { answerParserFailure, sendFailure, wireFailure } from './error-response.ts'
import { addAdmission } from './limits/admission.ts'
import { capConnections } from './limits/connection-cap.ts'
import { addHostGuard } from './limits/host-guard.ts'
import { addUnreadAnswers, UnreadAnswers } from './limits/unread-answers.ts'
import { addMcpRoute } from './mcp/mcp-route.ts'
import { readMcpSettings } from './mcp/mcp-settings.ts'
import { protectedResourceOf } from './mcp/protected-resource.ts'
import { addMementoRoutes } from './memento/memento-routes.ts'
import { Metrics } from './metrics/metrics.ts'
import { addMetricsRoute } from './metrics/metrics-route.ts'
import { addAnswerRecords } from './request/answered-request.ts'
import { addRequestIds, requestIdOf } from './request/request-id.ts'
import { addAdminRoutes } from './routes/admin-routes.ts'
import { addHealthRoutes } from './routes/health-routes.ts'
import { addKeyedRoutes } from './routes/keyed-routes.ts'
import { addKeylessRoutes } from './routes/keyless-routes.ts'
import { openApiDocument } from './routes/openapi.ts'
import { addX402Routes } from './routes/x402-routes.ts'
import { type HttpSettings, httpDefaults, keylessLimitsOf, readHttpSettings } from './settings.ts'

const readAddress = optionsReader<{ host: string; port: number }>(
  { host: 'string', port: 'number' },
  { required: ['host', 'port'] },
)

/** Lets a connection that is busy when the server closes end with its answer rather than with its keep-alive time. */
function addDrain(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close')
    done()
  })
}

/** One proxy in front is the first hop: trusting more would let the client write its own address. */
function trustedProxies(setting: HttpSettings['trustProxy']) {
  return setting === true ? (_address: string, hop: number) => hop < 1 : (setting ?? false)
}

/** Without a trusted proxy its headers would be overlooked, and callers from everywhere served. */
function checkRegionTrust({ payments, trustProxy = [] }: HttpSettings): void {
  if (!payments?.regionHeaders || trustProxy === true || trustProxy.length > 0) return
  throw new TypeError('payments read regions from the headers of a proxy: set trustProxy to that proxy')
}

function addCors(app: FastifyInstance, origins: readonly string[]): void {
  app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'POST'],
    exposedHeaders: [
      ...['X-Request-Id', 'X-Asof-Receipt', 'X-Asof-Usage', 'Retry-After', 'WWW-Authenticate'],
      ...['Link', 'Location', 'Memento-Datetime'],
      ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
      ...['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
    ],
    maxAge: 86_400,
    // An OPTIONS that is no preflight would otherwise be refused in a shape of its own.
    strictPreflight: false,
  })
}

function bareServer(settings: HttpSettings): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: httpDefaults.bodyLimitBytes,
    requestTimeout: httpDefaults.requestTimeoutMs,
    connectionTimeout: httpDefaults.idleConnectionMs,
    handlerTimeout: httpDefaults.answerTimeoutMs,
    forceCloseConnections: 'idle',
    // While closing, what still arrives on an open connection is answered in full; the engine closes after the server.
    return503OnClosing: false,
    trustProxy: trustedProxies(settings.trustProxy),
    genReqId: requestIdOf,
    // Node's own refusal has no body; `addAdmission` refuses in the shape of spec 2.7.
    http: {
      requireHostHeader: false,
      connectionsCheckingInterval: httpDefaults.requestTimeoutCheckMs,
      // With the default of 60 s Node takes the larger of the two for the request.
      headersTimeout: httpDefaults.requestTimeoutMs,
    },
    clientErrorHandler: answerParserFailure,
    frameworkErrors: (failure, request, reply) => {
      sendFailure(reply.header('x-request-id', request.id), wireFailure(failure))
    },
  })
  app.server.maxConnections = httpDefaults.maxConnections
  capConnections(
    app.server,
    settings.maxConnectionsPerAddress ?? httpDefaults.maxConnectionsPerAddress,
    settings.trustProxy,
  )
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
  return app
}

/** The longest token that could be guessed at 50 tries a second is far shorter. */
const MIN_ADMIN_TOKEN_CHARS = 16

/**
 * The HTTP server over the use cases: keyless routes (E2, E4), with `access` keyed ones (E1, E3), paid ones (E6, E7), with
 * a token those of administration, the tools of agents at `/mcp` (E8), `/healthz`, `/readyz`, `/openapi.json`, and
 * `/metrics` where the settings open it. It does not listen yet. Every failure, Fastify's own included, has the shape of
 * spec 2.7.
 *
 * @throws ASOF_INVALID_OPTION - an unknown setting, or one of another type.
 * @throws TypeError - settings that contradict each other, such as regions from a proxy's headers without `trustProxy`.
 */
export function createServer(unlimited: Service, given?: HttpSettings): FastifyInstance {
  const settings = readHttpSettings(given)
  const { access, adminToken, baseUrl, engine, payments, onAnswer } = settings
  const mcp = settings.mcp === false ? false : readMcpSettings(settings.mcp ?? {})
  const { corsOrigins = [], publicMetrics = false } = settings
  // Now: what routes throw while they are added ends the process.
  if (mcp !== false) protectedResourceOf(settings, mcp)
  checkRegionTrust(settings)
  const { service, underWay } = limitWork(unlimited, settings.maxUnderWay ?? httpDefaults.maxUnderWay)
  const byAddress = createKeylessLimit(keylessLimitsOf(settings))
  if (adminToken !== undefined && adminToken.length < MIN_ADMIN_TOKEN_CHARS)
    throw invalidOption('adminToken', `must have at least ${MIN_ADMIN_TOKEN_CHARS} characters`)
  const hasMetrics = publicMetrics || (access !== undefined && adminToken !== undefined)
  const metrics = hasMetrics ? new Metrics(settings, underWay) : undefined
  const document = openApiDocument({
    keyed: access !== undefined,
    paid: payments !== undefined,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  })

  const unread = new UnreadAnswers(settings.unreadAnswers)

  const app = bareServer(settings)
  addRequestIds(app)
  addUnreadAnswers(app, unread)
  addAnswerRecords(app, answered => {
    metrics?.count(answered)
    onAnswer?.(answered)
  })
  const hosts = [...(settings.hosts ?? []), ...((mcp !== false && mcp.hosts) || [])]
  addHostGuard(app, { baseUrl, hosts, origins: corsOrigins })
  if (corsOrigins.length > 0) addCors(app, corsOrigins)
  if (settings.compression ?? true) addCompression(app, httpDefaults.compressedFromBytes)
  // After the plugin: other origins may read refusals too.
  app.after(() => {
    addAdmission(app, settings, byAddress)
    addDrain(app)
    addKeylessRoutes(app, service)
    if (access) addKeyedRoutes(app, service, access)
    addMementoRoutes(app, service, baseUrl)
    addX402Routes(app, service, payments, baseUrl)
    if (access && adminToken !== undefined) addAdminRoutes(app, access, adminToken)
    if (mcp !== false) addMcpRoute(app, { service, settings, mcpSettings: mcp, byAddress })
    addHealthRoutes(app, engine)
    if (metrics) addMetricsRoute(app, metrics, publicMetrics ? undefined : adminToken)
    app.get('/openapi.json', { config: { admits: 'address' } }, async request => {
      if (request.overLimit) throw request.overLimit
      return document
    })
  })
  return app
}

/**
 * Starts listening.
 *
 * @param options.port - 0 picks a free port.
 * @returns the address it answers at, without a trailing slash.
 * @throws the system's error (`EADDRINUSE`, `EACCES`, …)
 * @throws ASOF_INVALID_OPTION - an option that is unknown, not given or of another type.
 */
export async function listen(app: FastifyInstance, options: { host: string; port: number }): Promise<string> {
  return await app.listen(readAddress(options))
}

/**
 * Stops: no new connections, and requests in flight are answered first. What is not answered in time is cut off.
 *
 * @param graceMs - default 30,000.
 */
export async function shutDown(app: FastifyInstance, graceMs: number = httpDefaults.shutdownMs): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs)
  try {
    await app.close()
  } finally {
    clearTimeout(cutOff)
  }
}
