import { invalidOption, optionsReader } from '@asof/extract/errors'
import cors from '@fastify/cors'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { createAdministratorLimit, createKeylessLimit } from '../../service/accounts/index.ts'
import { limitCalls, limitWork, type Service, ServiceError } from '../../service/index.ts'
import { addCompression } from '../negotiation/compression.ts'
import { type Administrators, countReaders } from './admission/administrators.ts'
import { addForwardedFor, capConnections } from './admission/client-address.ts'
import { addHostGuard } from './admission/host-guard.ts'
import { addNamedInstants, takeInstant } from './admission/named-instants.ts'
import { Sessions } from './admission/sessions.ts'
import { refuseUnknownRoutes } from './admission/unknown-routes.ts'
import { addUnreadAnswers, UnreadAnswers } from './admission/unread-answers.ts'
import { WaitingRequests } from './admission/waiting-requests.ts'
import { readConsoleFiles } from './console/console-files.ts'
import { addConsoleRoutes, missingPageSender } from './console/console-routes.ts'
import { addDialect, type DialectParts } from './dialects/dialect-way.ts'
import { dialectNames, dialects } from './dialects/dialects.ts'
import { answerParserFailure, sendFailure, wireFailure } from './error-response.ts'
import { httpDefaults } from './http-defaults.ts'
import { addMcpRoute } from './mcp/mcp-route.ts'
import { readMcpSettings } from './mcp/mcp-settings.ts'
import { addResourceMetadata, protectedResourceOf } from './mcp/protected-resource.ts'
import { addMementoRoutes } from './memento/memento-routes.ts'
import { addMetricListRoute, addMetricsRoute, Metrics } from './metrics/metrics.ts'
import { describeRoutes, type OpenApiDocument } from './openapi/document.ts'
import { publicDocument } from './openapi/narrowed-document.ts'
import { addOpenApiRoute } from './openapi/openapi-route.ts'
import { addAnswerRecords, addRequestIds, requestIdOf } from './request/request-record.ts'
import { serviceFor } from './request/sealed-service.ts'
import { RouteGroups } from './route-groups.ts'
import { addAdditionRoute } from './routes/addition-routes.ts'
import { addAdminRoutes } from './routes/admin-routes.ts'
import { addCrawlJobRoutes } from './routes/crawl-job-routes.ts'
import { addCrawlRoutes } from './routes/crawl-routes.ts'
import { addDeletionRoutes } from './routes/deletion-routes.ts'
import { addDoctorRoutes } from './routes/doctor-routes.ts'
import { addHealthRoutes } from './routes/health-routes.ts'
import { addRelevanceRoutes } from './routes/relevance-routes.ts'
import { addRetrievalRoute } from './routes/retrieval-route.ts'
import { addSessionRoutes } from './routes/session-routes.ts'
import { refuseBrokenEscapes } from './schema/query-escapes.ts'
import { addJsonBodies, requestValidators } from './schema/read-request.ts'
import { type HttpSettings, keylessLimitsOf, readHttpSettings } from './settings.ts'
import type { ServerParts } from './ways/given-ways.ts'
import { keyedWay } from './ways/keyed.ts'
import { browsingWay, keylessWay } from './ways/keyless.ts'

const readAddress = optionsReader<{ host: string; port: number }>(
  { host: 'string', port: 'number' },
  { required: ['host', 'port'] },
)

/** Adds `Connection: close` to answers while the server closes, so that clients do not keep their connections. */
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

/**
 * Returns the `trustProxy` option for Fastify. `true` trusts only the nearest proxy, because a client could forge its address
 * if more proxies were trusted.
 */
function trustedProxies(setting: HttpSettings['trustProxy']) {
  return setting === true ? (_address: string, hop: number) => hop < 1 : (setting ?? false)
}

function addCors(app: FastifyInstance, origins: readonly string[]): void {
  app.register(cors, {
    origin: origins.includes('*') ? '*' : [...origins],
    methods: ['GET', 'POST', 'DELETE'],
    exposedHeaders: [
      'X-Request-Id',
      'X-Asof-Receipt',
      'X-Asof-Usage',
      'Retry-After',
      'WWW-Authenticate',
      'Link',
      'Location',
      'Memento-Datetime',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'PAYMENT-REQUIRED',
      'PAYMENT-RESPONSE',
      'Payment-Receipt',
    ],
    maxAge: 86_400,
    // If true, the plugin would answer an OPTIONS request that is not a preflight with an error of another shape than spec 2.7.
    strictPreflight: false,
  })
}

/** Reports an answer with status 500. */
function reportFailure({ onFailure }: HttpSettings, error: ServiceError, { id }: FastifyRequest): void {
  if (error.kind === 'internal_error') onFailure?.(error.cause ?? error, { requestId: id })
}

function bareServer(settings: HttpSettings): FastifyInstance {
  const app = fastify({
    logger: false,
    bodyLimit: httpDefaults.bodyLimitBytes,
    requestTimeout: httpDefaults.requestTimeoutMs,
    connectionTimeout: httpDefaults.idleConnectionMs,
    handlerTimeout: httpDefaults.answerTimeoutMs,
    forceCloseConnections: 'idle',
    // Requests on open connections are answered while the server closes, because the engine closes after the server.
    return503OnClosing: false,
    trustProxy: trustedProxies(settings.trustProxy),
    genReqId: requestIdOf,
    rewriteUrl: takeInstant,
    // Node's refusal of a missing Host header has no body, so the check is off. `refuseUnknownRoutes` refuses such a request in
    // the shape of spec 2.7.
    http: {
      requireHostHeader: false,
      connectionsCheckingInterval: httpDefaults.requestTimeoutCheckMs,
      // Node uses the larger one of `headersTimeout` and `requestTimeout`. The default of `headersTimeout` is 60 s.
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
  addJsonBodies(app)
  refuseBrokenEscapes(app)
  app.setErrorHandler((failure, request, reply) => {
    const error = wireFailure(failure, request)
    reportFailure(settings, error, request)
    return sendFailure(reply, error)
  })
  // A handler makes the hooks run for unknown routes too, so that refusals have the right order.
  app.setNotFoundHandler((_request, reply) =>
    sendFailure(reply, new ServiceError('not_found', 'There is no such path.')),
  )
  // An unknown Expect header is ignored, as RFC 9110 (10.1.1) allows. Node itself would answer 417 without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  return app
}

/** No token of this length can be guessed with 50 tries a second. */
const MIN_ADMIN_TOKEN_CHARS = 16

/** Returns how administrators are recognized. Undefined without an admin token. */
function administratorsOf({ adminToken: token }: HttpSettings): Administrators | undefined {
  if (token === undefined) return undefined
  if (token.length < MIN_ADMIN_TOKEN_CHARS)
    throw invalidOption('adminToken', `must have at least ${MIN_ADMIN_TOKEN_CHARS} characters`)
  const count = createAdministratorLimit(httpDefaults.adminRequestsPerSecond)
  return { token, sessions: new Sessions(), count }
}

/**
 * Creates the HTTP server for a service; {@link listen} starts it. Every failure, also of Fastify, has the shape of spec 2.7.
 *
 * - Always: calls without a key, the tools of agents at `/mcp`, `/openapi.json`, Memento, `/healthz` and `/readyz`.
 * - With `access`: calls with a key. With `access` and `adminToken`: the routes of accounts.
 * - With `access` and `crawlJobs`: crawls for organizations.
 * - With `dialects`: the interfaces of other search services, whose clients then search here.
 * - With `ways`: further ways in, such as those of `store`, which sells calls and plans.
 * - With `adminToken`: signing in, and `/admin/metrics`.
 * - With `console`: the console at `/`, and the documents at `/docs`.
 * - With `publicMetrics` or `adminToken`: `/metrics`.
 * - With `crawls` and `adminToken`: the routes with which an operator starts, watches and stops crawls.
 *
 * @throws ASOF_INVALID_OPTION - an unknown setting, one of the wrong type, or an `adminToken` of less than 16 characters.
 * @throws TypeError - one of `ways` can't work with these settings.
 */
export function createServer(unlimited: Service, given?: HttpSettings): FastifyInstance {
  const settings = readHttpSettings(given)
  const { access, baseUrl, engine, onAnswer, ways = [] } = settings
  const mcp = settings.mcp === false ? false : readMcpSettings(settings.mcp ?? {})
  const { corsOrigins = [], publicMetrics = false } = settings
  // These checks come before routes are added, because an error that is thrown then would end the process.
  const resource = mcp === false ? undefined : protectedResourceOf(settings, mcp)
  const trustsProxy = settings.trustProxy === true || (settings.trustProxy ?? []).length > 0
  for (const way of ways) way.check?.({ trustsProxy })
  const { maxUnderWay = httpDefaults.maxUnderWay } = settings
  const { service, underWay } = limitWork(unlimited, maxUnderWay)
  const furtherWork: (() => number)[] = []
  const keylessLimits = keylessLimitsOf(settings)
  const byAddress = createKeylessLimit(keylessLimits, settings.createWindow)
  const administrators = administratorsOf(settings)
  const hasMetrics = publicMetrics || administrators !== undefined
  const allUnderWay = () => furtherWork.reduce((sum, work) => sum + work(), underWay())
  const metrics = hasMetrics ? new Metrics(settings, allUnderWay) : undefined
  const unread = new UnreadAnswers(settings.unreadAnswers)

  const app = bareServer(settings)
  // Without a trusted proxy, the header is never read.
  if (settings.trustProxy !== undefined) addForwardedFor(app)
  addRequestIds(app)
  addUnreadAnswers(app, unread)
  addAnswerRecords(app, answered => {
    metrics?.count(answered)
    onAnswer?.(answered)
  })
  addHostGuard(app, { baseUrl, hosts: settings.hosts, origins: corsOrigins })
  if (corsOrigins.length > 0) addCors(app, corsOrigins)
  const { compression = true } = settings
  if (compression) addCompression(app, httpDefaults.compressedFromBytes)
  const offered = settings.dialects ?? dialectNames
  const listed = offered.map(name => ({ path: `/${name}`, ...dialects[name] }))
  const consoleFiles = settings.console ? readConsoleFiles(undefined, undefined, listed) : undefined
  const describeAll = describeRoutes(app, { baseUrl, sealedAt: service.sealedAt })
  let described: OpenApiDocument | undefined
  const describe = () => {
    described ??= publicDocument(describeAll())
    return described
  }
  // These hooks are added after the CORS plugin, so that refusals have CORS headers too.
  app.after(() => {
    app.setValidatorCompiler(requestValidators(request => (request ? serviceFor(service, request) : service)))
    for (const name of ['admission', 'caller', 'client'] as const) app.decorateRequest(name, undefined)
    app.decorate('baseUrl', baseUrl)
    addNamedInstants(app, { nowFor: request => serviceFor(service, request).now(), adminToken: settings.adminToken })
    refuseUnknownRoutes(app, byAddress, consoleFiles?.page && missingPageSender(consoleFiles, compression))
    addDrain(app)
    const needsKey = settings.privateSearch === true
    const dialectParts: DialectParts = {
      service,
      access,
      jobs: settings.crawlJobs,
      byAddress,
      needsKey,
      onFailure: (error, request) => reportFailure(settings, error, request),
      waiting: new WaitingRequests(),
    }
    const groups = new RouteGroups(app, { byAddress, administrators, isPrivate: needsKey })
    const countReader = countReaders(byAddress, administrators, httpDefaults.adminRequestsPerSecond)
    groups.addWay(keylessWay(service, countReader))
    groups.addWay(browsingWay(service, countReader))
    groups.addPublic(plugin => addMementoRoutes(plugin, service, countReader))
    if (access) groups.addWay(keyedWay(service, { access, byAddress }))
    const { jobs } = dialectParts
    if (access && jobs) groups.add(plugin => addCrawlJobRoutes(plugin, { service, access, jobs }, byAddress))
    groups.add(plugin => addRetrievalRoute(plugin, { service, access, byAddress, needsKey }))
    for (const name of offered) groups.add(plugin => addDialect(plugin, name, dialects[name], dialectParts))
    if (consoleFiles) app.register(async plugin => addConsoleRoutes(plugin, consoleFiles, compression))
    if (mcp !== false) groups.add(plugin => addMcpRoute(plugin, { service, settings, mcpSettings: mcp, byAddress }))
    if (resource) groups.add(plugin => addResourceMetadata(plugin, resource))
    groups.addOpen(plugin => addOpenApiRoute(plugin, { describeAll, describe, administrators }))
    const limit: ServerParts['limit'] = further => {
      const limited = limitCalls(further, maxUnderWay)
      furtherWork.push(limited.underWay)
      return limited.service
    }
    const parts = { groups, service, access, byAddress, keylessLimits, baseUrl, limit, describe }
    for (const way of ways) addGiven(app, () => way.add({ ...parts, metrics: metrics?.registry }))
    if (access) groups.addAdministration((plugin, admins) => addAdminRoutes(plugin, access, admins))
    if (access && engine) {
      groups.addAdministration((plugin, admins) => addAdditionRoute(plugin, { engine, access }, admins))
      groups.addAdministration((plugin, admins) => addDeletionRoutes(plugin, { engine, access }, admins))
      groups.addAdministration((plugin, admins) => addRelevanceRoutes(plugin, { engine, access }, admins))
    }
    groups.addAdministration(addSessionRoutes)
    if (metrics) groups.addAdministration((plugin, admins) => addMetricListRoute(plugin, metrics, admins))
    groups.add(plugin => addHealthRoutes(plugin, engine, settings.cluster))
    if (metrics) groups.add(plugin => addMetricsRoute(plugin, metrics, publicMetrics ? undefined : administrators))
    const { crawls, doctor } = settings
    if (doctor) groups.addAdministration((plugin, admins) => addDoctorRoutes(plugin, doctor, admins))
    if (crawls) groups.addAdministration((plugin, admins) => addCrawlRoutes(plugin, { crawls, access }, admins))
  })
  return app
}

/** Adds ways that a server is given. An error that is thrown here would end the process; that of a plugin rejects `listen`. */
function addGiven(app: FastifyInstance, add: () => void): void {
  const added = (async () => add())()
  added.catch(() => undefined)
  app.register(async () => await added)
}

/**
 * Starts listening.
 *
 * @param options.port - 0 picks a free port.
 * @returns the URL of the server, without a trailing slash.
 * @throws the system's error (`EADDRINUSE`, `EACCES`, …)
 * @throws what one of `ways` throws while it is added.
 * @throws ASOF_INVALID_OPTION - an option is unknown, missing or of the wrong type.
 */
export async function listen(app: FastifyInstance, options: { host: string; port: number }): Promise<string> {
  // `backlog` is the number of connections that wait to be accepted. Node's default of 511 overflows in a flood, and a client
  // whose SYN is dropped waits for at least a second.
  return await app.listen({ ...readAddress(options), backlog: httpDefaults.maxConnections })
}

/**
 * Stops the server. New connections are rejected. The promise resolves after requests in flight were answered.
 *
 * @param graceMs - time after which open connections are cut, milliseconds. Default 30,000.
 */
export async function shutDown(app: FastifyInstance, graceMs: number = httpDefaults.shutdownMs): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), graceMs)
  try {
    await app.close()
  } finally {
    clearTimeout(cutOff)
  }
}
