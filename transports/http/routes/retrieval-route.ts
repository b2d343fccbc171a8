import { queryInstant } from '@asof/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Access,
  answerBatchOnAccount,
  type CountByAddress,
  type LimitStanding,
} from '../../../service/accounts/index.ts'
import {
  inOrder,
  type RequestOf,
  type ResponseOf,
  retrievalAnswer,
  retrievalInstant,
  retrievalRequest,
  retrievalResponse,
  retrievalSearches,
  type Service,
  ServiceError,
  timestamp,
} from '../../../service/index.ts'
import { identifyKey, readKey } from '../admission/keys.ts'
import { asNamed } from '../admission/named-instants.ts'
import { WaitingRequests } from '../admission/waiting-requests.ts'
import { addWayIn } from '../admission/way-in.ts'
import { serviceFor } from '../request/sealed-service.ts'
import { baseUrlOf, callerSignal, clientOf, isTooLate } from '../request/service-call.ts'
import { byKey } from '../schema/parameters.ts'
import { queryOf } from '../schema/read-request.ts'
import { type App, always, failures, jsonAnswer, named } from '../schema/route-schema.ts'

/** Maximum size of a body: 512 queries are larger than other requests. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024
/** A batch waits less than the 60 s after which a server ends an answer. Programs that train models have more than a hundred requests under way. */
const waitingLimits = { longestMs: 50_000, waiting: 1_024, waitingPerClient: 512 }

/** Never `rate_limited`: see {@link addRetrievalRoute}. */
const errors = always.filter(error => error !== 'rate_limited')

const schema = {
  operationId: 'retrieve',
  summary: 'Search for many queries in one request, in the form of retrieval servers for training',
  body: named('RetrievalRequest', retrievalRequest),
  responses: {
    200: jsonAnswer('The documents for each query.', named('RetrievalResponse', retrievalResponse)),
    ...failures([...errors, 'unauthorized', 'insufficient_credits', 'forbidden', 'payload_too_large']),
  },
}

interface RetrievalParts {
  service: Service
  /** Undefined if the server has no accounts: then nobody has a key. */
  access: Access | undefined
  /** Counts requests of callers without a key, by address. */
  byAddress: CountByAddress
  /** True if a call without a key is refused. */
  needsKey: boolean
}

/**
 * Moves the key from the parameter `key` of the query string to the header. The programs that call this route take an address, and send no
 * headers.
 */
function moveKey(request: FastifyRequest): void {
  const { key, ...query } = queryOf(request)
  if (typeof key !== 'string') return
  request.query = query
  request.headers['x-api-key'] ??= key
}

/** Returns true if a request has a key, valid or not. An empty one is a mistake of the caller, and `@TIME` names an instant without a key. */
function hasKey({ headers }: FastifyRequest): boolean {
  const presented = readKey(headers)
  return presented !== undefined && (presented.key !== '' || presented.time === undefined)
}

/**
 * Adds `POST /retrieve`, by which programs that train models search. Each query counts as a request and is charged as a search. Such programs
 * end when they are told to slow down, so queries wait for their limit, and what cannot wait is answered 503.
 */
export function addRetrievalRoute(app: App, { service, access, byAddress, needsKey }: RetrievalParts): void {
  const waiting = new WaitingRequests(waitingLimits)

  /** Counts a request for the organization of its key, or for its address. */
  const count = ({ caller, ip }: FastifyRequest) => (caller && access ? access.countRequest(caller) : byAddress(ip))

  /** Waits until a request is within its limit. @throws ServiceError overloaded */
  async function admit(request: FastifyRequest, countNow: () => Promise<LimitStanding>): Promise<void> {
    const { refusal } = await waiting.admit(request, countNow)
    if (!refusal) return
    const { message, retryAfterSeconds } = refusal
    throw new ServiceError('overloaded', message, { retryAfterSeconds })
  }

  /** Returns how the calls of a request are made: each waits for its limit. The request itself was counted for the first one. */
  function makingCalls(request: FastifyRequest): <T>(work: () => Promise<T>) => Promise<T> {
    let isFirst = true
    return async work => {
      const isCounted = isFirst
      isFirst = false
      if (!isCounted) await admit(request, () => count(request))
      return await waiting.answer(request, work)
    }
  }

  /** Answers searches, charged to the caller if it has a key. */
  async function answers(
    searches: readonly RequestOf<'search'>[],
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ResponseOf<'search'>[]> {
    const asked = serviceFor(service, request)
    const { caller } = request
    const [signal, base, each] = [callerSignal(reply), baseUrlOf(request), makingCalls(request)]
    if (!caller || !access) {
      const context = { client: clientOf(request), signal, base }
      const answered = await inOrder(searches, search => each(() => asked.answer('search', search, context)))
      return answered.map(({ body }) => body)
    }
    const by = { isTooLate: () => isTooLate(reply), signal, base, each }
    const charged = await answerBatchOnAccount(asked, access.organizationAccount(caller), 'search', searches, by)
    request.charges = charged.flatMap(({ charge }) => charge ?? [])
    return charged.map(({ answer }) => answer.body)
  }

  addWayIn(
    app,
    async request => {
      moveKey(request)
      let refusal: unknown
      if (needsKey || hasKey(request))
        refusal = access
          ? await identifyKey(request, access)
          : new ServiceError('unauthorized', 'This server has no accounts: call it without a key.')
      return { refusal, limit: await count(request), presentsCredential: hasKey(request) }
    },
    async ({ refusal, limit }, request) => {
      if (refusal !== undefined) throw refusal
      // It waits after the body was read, because a body has less time to arrive.
      let counted = limit
      await admit(request, async () => {
        const known = counted
        counted = undefined
        return known ?? (await count(request))
      })
    },
  )
  app.route({
    method: 'POST',
    url: '/retrieve',
    bodyLimit: BODY_LIMIT_BYTES,
    config: { hasPast: true },
    schema: { ...schema, security: needsKey ? byKey : [...byKey, {}] },
    handler: async (request, reply) => {
      // All queries of a batch are answered as of one instant: a relative time must not count back from when each is asked. A query that is a
      // URL is then not fetched from its site either.
      const { query_time: named } = asNamed(request, 'search', retrievalInstant(request.body))
      const now = app.instants.nowFor(request)
      const instant = named === undefined ? now : queryInstant(named, now)
      const searches = retrievalSearches(request.body, timestamp(instant))
      const asked = searches.filter(search => search !== undefined)
      const found = (await answers(asked, request, reply)).values()
      const bodies = searches.map(search => search && found.next().value)
      return reply.sent ? reply : reply.send(retrievalAnswer(bodies, request.body))
    },
  })
}
