import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CountByAddress, clientNetwork, type LimitStanding } from '../../../service/accounts/index.ts'
import {
  fetchReading,
  fetchRequest,
  readForm,
  readRequest,
  type SearchRequest,
  type Service,
  ServiceError,
  searchReading,
  searchRequest,
} from '../../../service/index.ts'
import type { PaidResource, PaymentOffer, PaymentReceipt, Payments } from '../../../service/payments/index.ts'
import { sendFailure } from '../error-response.ts'
import { countPayer } from '../limits/payers.ts'
import { addWayIn, limitHeaders, refuseCaller } from '../limits/way-in.ts'
import { bodyOf, postedBody } from '../request/json-body.ts'
import { queryOf, strayParameters } from '../request/query-parameters.ts'
import { readerHeader } from '../request/reader-header.ts'
import { httpDefaults } from '../settings.ts'
import { reportDelivery } from './delivery.ts'
import { refuseKeyedMode } from './keyed-mode.ts'
import { sendSearch } from './search-reply.ts'

/** Limit of the length of the request path in an offer, because clients reject very long headers. */
const MAX_RESOURCE_CHARS = 2_048

const descriptions = { search: 'Web search', fetch: 'Page fetch' } as const

/** JSON in the form of the payment headers: base64 with padding. */
function toHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

function sendOffer(reply: FastifyReply, offer: PaymentOffer): FastifyReply {
  reply.request.refusal = new ServiceError('payment_required', offer.error)
  return reply
    .code(402)
    .headers({ 'payment-required': toHeader(offer), 'cache-control': 'no-store' })
    .send(offer)
}

/** Sends the refusal of a payment that was not settled, with a receipt that says so. */
function sendUnsettled(reply: FastifyReply, error: ServiceError, receipt: PaymentReceipt): FastifyReply {
  return sendFailure(reply.headers({ 'payment-response': toHeader(receipt), 'cache-control': 'no-store' }), error)
}

/** Sets the rate limit headers to the limit of the wallet if that leaves fewer calls than the limit of the address. */
function showTighter(reply: FastifyReply, standing: LimitStanding): void {
  const shown = Number(reply.getHeader('x-ratelimit-remaining'))
  if (standing.remaining < shown) reply.headers(limitHeaders(standing))
}

/** True for a call without any parameter. Directories of paid services make such calls to learn the price. */
function hasNoParameters(request: FastifyRequest): boolean {
  return Object.keys(queryOf(request)).length === 0 && !postedBody(request)?.bytes.length
}

interface PaidRoute<Request extends object, Answer> {
  kind: 'search' | 'fetch'
  /** Reads and checks the request. @throws ServiceError */
  parse: () => Promise<Request>
  run: (request: Request) => Promise<Answer>
  send: (reply: FastifyReply, answer: Answer) => FastifyReply
}

const SEARCH_PATH = '/v1/x402/search'
const FETCH_PATH = '/v1/x402/fetch'

/** Makes a plugin the way in of callers who pay for each request: 451, 413 and 415, 429, 403. */
function admitPayers(app: FastifyInstance, payments: Payments | undefined, byAddress: CountByAddress): void {
  addWayIn(
    app,
    async request => ({ limit: await countPayer(request, payments, byAddress) }),
    (admission, request) => {
      refuseCaller(admission)
      if (request.routeOptions.url === SEARCH_PATH) refuseKeyedMode(request, 'forbidden')
    },
  )
}

/** Adds E6 and E7 for a server that takes no payments: it says so. */
export function addX402Refusals(app: FastifyInstance, byAddress: CountByAddress): void {
  admitPayers(app, undefined, byAddress)
  const handler = async () => {
    // Without `Retry-After`, because waiting does not help.
    throw new ServiceError('payments_off', 'Payments are off on this server. Call it with an API key, or without one.')
  }
  app.post(SEARCH_PATH, handler)
  for (const path of [SEARCH_PATH, FETCH_PATH]) app.get(path, { exposeHeadRoute: false }, handler)
}

/** What calls need that are paid for one by one. */
export interface PaidCalls {
  payments: Payments
  /** Counts requests of callers without a key, by address. */
  byAddress: CountByAddress
  /**
   * Public address of the server, for the resource of an offer; the Host header is never used. Default: the address that
   * the server listens on.
   */
  baseUrl: string | undefined
}

/**
 * Adds E6 and E7. Refusals have an order of precedence: 451, 413 and 415, 429, 403, 400, 503, 402 for a missing or bad
 * payment, 429 for its wallet. So nobody is asked to pay for a request that can't be answered. A call without payment and
 * parameters gets an offer. A request that fails is not charged. A 200 is sent after its transfer is on the chain.
 */
export function addX402Routes(app: FastifyInstance, service: Service, paidCalls: PaidCalls): void {
  const { payments, byAddress, baseUrl } = paidCalls
  admitPayers(app, payments, byAddress)
  const paid = {
    // A paid HEAD would be charged and return nothing.
    exposeHeadRoute: false,
    handlerTimeout: httpDefaults.paidAnswerTimeoutMs,
  } as const

  function resourceOf(request: FastifyRequest, kind: 'search' | 'fetch'): PaidResource {
    const path = request.url.length > MAX_RESOURCE_CHARS ? request.url.replace(/\?.*$/s, '') : request.url
    const base = (baseUrl ?? app.listeningOrigin).replace(/\/$/, '')
    return { url: `${base}/${path.replace(/^(?:https?:\/\/[^/]*)?\/+/, '')}`, description: descriptions[kind] }
  }

  async function answer<Request extends object, Answer>(
    request: FastifyRequest,
    reply: FastifyReply,
    { kind, parse, run, send }: PaidRoute<Request, Answer>,
  ): Promise<FastifyReply> {
    const resource = resourceOf(request, kind)
    const { 'payment-signature': signature = '' } = request.headers
    const isPaid = typeof signature === 'string' && signature !== ''
    if (!isPaid && hasNoParameters(request)) {
      await payments.ready()
      return sendOffer(reply, payments.offer(resource))
    }
    const asked = await parse()
    await payments.ready()
    if (!isPaid) return sendOffer(reply, payments.offer(resource))
    const delivery = Promise.withResolvers<boolean>()
    const charged = await payments.charge({
      kind,
      signature,
      request: asked,
      run,
      isTooLate: () => reply.sent || reply.raw.destroyed,
      onWalletLimit: standing => showTighter(reply, standing),
      delivered: delivery.promise,
    })
    // The call timed out. A payment that was settled can still be used to repeat the request.
    if (reply.sent) {
      delivery.resolve(false)
      return reply
    }
    switch (charged.kind) {
      case 'refused':
        return sendOffer(reply, payments.offer(resource, charged.reason))
      case 'unsettled': {
        const error = new ServiceError('payment_settlement_failed', charged.reason)
        return sendUnsettled(reply, error, charged.receipt)
      }
      case 'undecided': {
        const text = 'The payment is not confirmed yet. Repeat the request with the same PAYMENT-SIGNATURE.'
        const error = new ServiceError('payments_unavailable', text, { retryAfterSeconds: 5 })
        return sendUnsettled(reply, error, charged.receipt)
      }
      case 'abandoned':
        throw new ServiceError('overloaded', 'The caller closed the connection.', { retryAfterSeconds: 1 })
      case 'paid':
        reportDelivery(reply, delivery.resolve)
        reply.headers({ 'payment-response': toHeader(charged.receipt), 'cache-control': 'private' })
        return send(reply, charged.answer)
    }
  }

  function search(request: FastifyRequest, reply: FastifyReply, parse: () => Promise<SearchRequest>) {
    return answer(request, reply, {
      kind: 'search',
      parse: async () => {
        const parsed = await parse()
        await service.checkSearch(parsed)
        return parsed
      },
      run: parsed => service.search(parsed, { client: clientNetwork(request.ip) }),
      send: sendSearch,
    })
  }
  app.post(SEARCH_PATH, paid, async (request, reply) =>
    search(request, reply, async () => {
      const reading = searchReading(service, strayParameters(queryOf(request)))
      return await readRequest(searchRequest, bodyOf(request), reading)
    }),
  )
  app.get(SEARCH_PATH, paid, async (request, reply) =>
    search(request, reply, () => readForm(searchRequest, queryOf(request), searchReading(service))),
  )
  app.get(FETCH_PATH, paid, async (request, reply) =>
    answer(request, reply, {
      kind: 'fetch',
      parse: async () => {
        const parsed = await readForm(fetchRequest, queryOf(request), fetchReading(service))
        await service.checkFetch(parsed)
        return parsed
      },
      run: parsed => service.fetch(parsed, { client: clientNetwork(request.ip), onReader: readerHeader(reply) }),
      send: (sent, page) => sent.send(page),
    }),
  )
}
