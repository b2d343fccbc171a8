import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Access,
  answerOnAccount,
  type CallCharge,
  type CountByAddress,
  type LimitStanding,
} from '../../../service/accounts/index.ts'
import type { CrawlJobs } from '../../../service/crawl-jobs/index.ts'
import {
  calls,
  crawlJobRequest,
  parseRequest,
  renamingFields,
  type Service,
  ServiceError,
  toServiceError,
} from '../../../service/index.ts'
import { varyBy } from '../../negotiation/negotiation.ts'
import { callerCrawls } from '../admission/caller-crawls.ts'
import { identifyKey, readKey } from '../admission/keys.ts'
import { asNamed, namesInstant } from '../admission/named-instants.ts'
import type { WaitingRequests } from '../admission/waiting-requests.ts'
import { type Admission, addWayIn, limitHeaders, refuseCaller } from '../admission/way-in.ts'
import { sendFailure, wireFailure } from '../error-response.ts'
import { restOfTarget, targetUrl } from '../memento/memento-target.ts'
import { nameApplication } from '../request/app-identifier.ts'
import { serviceFor } from '../request/sealed-service.ts'
import { baseUrlOf, callerSignal, clientOf, isTooLate } from '../request/service-call.ts'
import { addFormBodies, postedBody, queryOf, refuseStrayParameters } from '../schema/read-request.ts'
import type { App } from '../schema/route-schema.ts'
import type { Asking, AskingCrawls, Dialect, DialectCrawls, DialectRoute, RoutedRequest } from './frame/dialect.ts'
import { isFields } from './frame/vendor-fields.ts'

/** What dialects need of the server. */
export interface DialectParts {
  service: Service
  /** Undefined if the server has no accounts: then nobody has a key. */
  access: Access | undefined
  /** The crawls of organizations. Undefined if the server has none. */
  jobs: CrawlJobs | undefined
  /** Counts requests of callers without a key, by address. */
  byAddress: CountByAddress
  /** True if a call without a key is refused. */
  needsKey: boolean
  /** Lets requests wait for limits, because the clients of other services do not repeat what is refused. */
  waiting: WaitingRequests
  /** Called for every error, see `HttpSettings.onFailure`. */
  onFailure: (error: ServiceError, request: FastifyRequest) => void
}

/** Counts a call for the organization of the caller, or for its address. */
function countCall(request: FastifyRequest, { access, byAddress, waiting }: DialectParts): Promise<LimitStanding> {
  const { caller, ip } = request
  return waiting.admit(request, () => (caller && access ? access.countRequest(caller) : byAddress(ip)))
}

/** Identifies the caller of a request and counts the request. A caller without a key is admitted if the server answers everybody. */
async function admit(request: FastifyRequest, parts: DialectParts): Promise<Admission> {
  const { access, needsKey } = parts
  // `@TIME` names an instant without a key.
  const presentsCredential = (readKey(request.headers) ?? { key: '' }).key !== ''
  let refusal: unknown
  if (presentsCredential || needsKey)
    refusal = access
      ? await identifyKey(request, access)
      : new ServiceError('unauthorized', 'This server has no accounts: call it without a key.')
  return { refusal, limit: await countCall(request, parts), presentsCredential }
}

/** The calls of a request, with their charges. */
interface ChargedAsking extends AskingCrawls {
  /** Takes back all charges, because the request got no answer. */
  refund(): Promise<void>
}

/** Returns how the calls of a request are made: on the account of its key, or for free without a key. */
function askingFor(
  { names }: DialectRoute,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  parts: DialectParts,
): ChargedAsking {
  const { access, waiting } = parts
  const { caller } = request
  const service = serviceFor(parts.service, request)
  const signal = callerSignal(reply)
  const base = baseUrlOf(request)
  const charges: CallCharge[] = []
  const refunds: (() => Promise<void>)[] = []
  let isFirst = true
  /** Counts a call. The first one was counted when the request was admitted. */
  async function count(): Promise<void> {
    if (!isFirst) {
      const limit = await countCall(request, parts)
      reply.headers(limitHeaders(limit))
      refuseCaller({ limit })
    }
    isFirst = false
  }
  const rename = (path: string) =>
    path.replace(/^[^.[]*/, name => (Object.hasOwn(names, name) ? (names[name] ?? name) : name))
  const answered: Asking['call'] = async (name, given) => {
    const asked = asNamed(request, name, parseRequest(calls[name].request, given))
    if (!caller || !access) return await service.answer(name, asked, { client: clientOf(request), signal, base })
    const account = access.organizationAccount(caller)
    const context = { isTooLate: () => isTooLate(reply), signal, base }
    const { answer, charge, refund } = await answerOnAccount(service, account, name, asked, context)
    if (charge && refund) {
      charges.push(charge)
      refunds.push(refund)
      request.charges = charges
    }
    return answer
  }
  const call: Asking['call'] = async (name, given) => {
    await count()
    try {
      return await waiting.answer(request, () => answered(name, given))
    } catch (failure) {
      throw renamingFields(toServiceError(failure), rename)
    }
  }
  const crawls = (): DialectCrawls => {
    if (!parts.jobs || !access) throw new ServiceError('unsupported', 'This server has no crawls for its callers.')
    if (!caller) throw new ServiceError('unauthorized', 'A crawl needs a key.')
    const own = callerCrawls(request, { service: parts.service, access, jobs: parts.jobs })
    const renaming = (failure: unknown): never => {
      throw renamingFields(toServiceError(failure), rename)
    }
    return {
      ...own,
      start: (asked, note) =>
        waiting.answer(request, () => own.start(parseRequest(crawlJobRequest, asked), note)).catch(renaming),
    }
  }
  const seesPast = service.sealedAt !== undefined || namesInstant(request)
  async function refund(): Promise<void> {
    charges.length = 0
    await Promise.all(refunds.splice(0).map(one => one()))
  }
  return { call, crawls, signal, seesPast, charges, refund, seconds: () => reply.elapsedTime / MS_PER_SECOND }
}

/** Returns charges with one entry for all of the same kind: a header with a hundred entries is longer than proxies accept. */
function summedCharges(charges: readonly CallCharge[]): object[] {
  const kinds = Map.groupBy(charges, ({ sku, paid }) => `${sku} ${paid}`)
  return [...kinds.values()].map(same => ({
    ...same[0],
    amount: same.length,
    credits: same.reduce((sum, { credits }) => sum + credits, 0),
  }))
}

const MS_PER_SECOND = 1_000

/** Fields in which old clients send the key. */
const keyFields = ['api_key', 'apiKey']

/**
 * Returns the fields of a request.
 *
 * @throws ServiceError invalid_request - its body is not valid, or it also has parameters in its query string.
 * @throws ServiceError unauthorized - the only key is in the body. It may be sealed or name an instant, so an answer without it could be about a later one.
 */
function fieldsOf(request: FastifyRequest): unknown {
  if (request.method !== 'POST') return queryOf(request)
  const { value, refusal } = postedBody(request) ?? {}
  if (refusal) throw refusal
  refuseStrayParameters(queryOf(request))
  if (!readKey(request.headers) && isFields(value) && keyFields.some(name => typeof value[name] === 'string'))
    throw new ServiceError(
      'unauthorized',
      'Send the key in X-API-Key or as Authorization: Bearer; a key in the body is not read.',
    )
  return value
}

/** Returns the headers of a request with the URL that its path ends with. @throws ASOF_INVALID_URL */
function headersWithUrl({ headers, url }: FastifyRequest): unknown {
  return { ...headers, url: targetUrl(restOfTarget(url, 1)) }
}

/** True if a path matches that of a route, in which `:id` matches any part. */
function matchesPath({ path: pattern }: DialectRoute, path: string): boolean {
  const [parts, sent] = [pattern.split('/'), path.split('/')]
  return parts.length === sent.length && parts.every((part, i) => part === sent[i] || part.startsWith(':'))
}

/** Refuses a path or method that a dialect does not have. */
function refusePath(name: string, { routes, missing }: Dialect, rest: string, reply: FastifyReply): never {
  const path = `/${rest}`
  const lacking = Object.keys(missing).find(one => path === one || path.startsWith(`${one}/`))
  if (lacking !== undefined)
    throw new ServiceError('unsupported', `asof does not have ${lacking}: it ${missing[lacking]}.`)
  const known = routes.filter(route => matchesPath(route, path))
  if (known.length > 0) {
    const allowed = known.flatMap(({ methods }) => methods).join(', ')
    reply.header('allow', allowed)
    throw new ServiceError('method_not_allowed', `This path takes ${allowed}.`)
  }
  const offered = routes.map(route => `/${name}${route.path}`).join(', ')
  throw new ServiceError('not_found', `There is no such path. This server has ${offered}.`)
}

/**
 * Adds the routes of a dialect to a plugin: its callers have a key or none, as on the native routes, with the same limits and charges. Refusals have an order of precedence: 401, 403,
 * 429, 400, refusals by a retention policy, 402. All have the vendor's form.
 *
 * @param name - the first part of the paths.
 */
export function addDialect(app: App, name: string, dialect: Dialect, parts: DialectParts): void {
  const { keyHeader } = dialect
  if (keyHeader !== undefined)
    app.addHook('onRequest', (request, _reply, done) => {
      request.headers['x-api-key'] ??= request.headers[keyHeader]
      done()
    })
  addWayIn(app, async request => {
    const admission = await admit(request, parts)
    if (!request.caller) nameApplication(request, name)
    return admission
  })
  app.setErrorHandler((failure, request, reply) => {
    const error = wireFailure(failure, request)
    parts.onFailure(error, request)
    return sendFailure(reply, error, dialect.writeError(error, request.id))
  })
  if (dialect.takesForms) addFormBodies(app)
  const schema = { hide: true }
  for (const route of dialect.routes)
    app.route({
      method: [...route.methods],
      url: `/${name}${route.path}`,
      schema,
      config: { hasPast: true },
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        const endsWithUrl = route.path.endsWith('*')
        const answer = route.read({
          id: request.id,
          fields: endsWithUrl ? headersWithUrl(request) : fieldsOf(request),
          params: request.params as RoutedRequest['params'],
          address: `${baseUrlOf(request)}/${name}`,
          requestedAt: app.instants.nowFor(request),
        })
        const asking = askingFor(route, { request, reply }, parts)
        try {
          const body = await answer(asking)
          if (isTooLate(reply)) await asking.refund()
          if (reply.sent) return reply
          if (endsWithUrl) varyBy(reply, 'accept')
          if (typeof body === 'string')
            reply.type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff')
          if (asking.charges.length > 0) reply.header('x-asof-usage', JSON.stringify(summedCharges(asking.charges)))
          return reply.send(body)
        } catch (failure) {
          await asking.refund()
          throw failure
        }
      },
    })
  if (dialect.routes.some(({ path }) => path.endsWith('*'))) return
  app.route({
    method: ['DELETE', 'GET', 'PATCH', 'POST', 'PUT'],
    url: `/${name}/*`,
    schema,
    config: { hasPast: true },
    exposeHeadRoute: false,
    handler: (request, reply) => {
      const { '*': rest = '' } = request.params as { '*'?: string }
      return refusePath(name, dialect, rest, reply)
    },
  })
}
