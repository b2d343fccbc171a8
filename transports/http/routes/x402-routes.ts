import { finished } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { clientNetwork, type LimitStanding } from '../../service/accounts/index.ts'
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
} from '../../service/index.ts'
import type { PaidResource, PaymentOffer, PaymentReceipt, Payments } from '../../service/payments/index.ts'
import { sendFailure } from '../error-response.ts'
import { readJsonBody } from '../request/json-body.ts'
import { queryOf, strayParameters } from '../request/query-parameters.ts'
import { namedIn } from '../request/reader-header.ts'
import { httpDefaults } from '../settings.ts'
import { modeOf, refuseKeyedMode } from './keyed-mode.ts'
import { sendSearch } from './search-reply.ts'

/** Long query strings would make headers that clients don't take. */
const MAX_RESOURCE_CHARS = 2_048

const descriptions = { search: 'Web search', fetch: 'Page fetch' } as const

/** JSON as the payment headers carry it: base64 with padding. */
function toHeader(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

function unavailable(): ServiceError {
  return new ServiceError('payments_unavailable', 'Payments temporarily unavailable', { retryAfterSeconds: 60 })
}

function sendOffer(reply: FastifyReply, offer: PaymentOffer): FastifyReply {
  reply.request.refusal = new ServiceError('payment_required', offer.error)
  return reply
    .code(402)
    .headers({ 'payment-required': toHeader(offer), 'cache-control': 'no-store' })
    .send(offer)
}

/** A payment that was not charged: why, and a receipt that says so. */
function sendUnsettled(reply: FastifyReply, error: ServiceError, receipt: PaymentReceipt): FastifyReply {
  return sendFailure(reply.headers({ 'payment-response': toHeader(receipt), 'cache-control': 'no-store' }), error)
}

/** Of two limits, a caller is told where it stands in the tighter one. */
function showTighter(reply: FastifyReply, { headers }: LimitStanding): void {
  const shown = Number(reply.getHeader('x-ratelimit-remaining'))
  if (headers['x-ratelimit-remaining']! < shown) reply.headers(headers)
}

/** Tells whether the answer that is about to be sent, and no other in its place, has gone out in full. */
function tellDelivery(reply: FastifyReply, tell: (delivered: boolean) => void): void {
  finished(reply.raw).then(
    () => tell(reply.statusCode === 200),
    () => tell(false),
  )
}

/** A call without a parameter asks for the price: directories of paid services call so. */
function asksNothing(request: FastifyRequest): boolean {
  const { body } = request
  return Object.keys(queryOf(request)).length === 0 && !(body instanceof Uint8Array && body.length > 0)
}

interface PaidRoute<Request extends object, Answer> {
  kind: 'search' | 'fetch'
  /** Of the request, where it can be told before it is checked. */
  mode?: unknown
  /** Reads and checks the request. @throws ServiceError */
  parse: () => Promise<Request>
  run: (request: Request) => Promise<Answer>
  send: (reply: FastifyReply, answer: Answer) => FastifyReply
}

/**
 * E6 and E7. Refusals come in one order: 451, 429, 403, 400, 503, 402 without a payment or with one that is not good, 429 of
 * its wallet (404, 405, 413 and 415 were decided before the route). So nobody is asked to pay for a request that can't be
 * answered; a call without payment and without any parameter gets an offer. What the request itself fails with comes uncharged; a 200 leaves when its transfer is on the chain.
 *
 * @param payments - without, every call is 503.
 * @param baseUrl - the public address, for the resource that an offer names: never the Host header. Default: where the
 *   server listens.
 */
export function addX402Routes(
  app: FastifyInstance,
  service: Service,
  payments: Payments | undefined,
  baseUrl: string | undefined,
): void {
  const paid = {
    config: { admits: 'payment' },
    // A paid HEAD would be charged and return nothing.
    exposeHeadRoute: false,
    handlerTimeout: httpDefaults.paidAnswerTimeoutMs,
  } as const

  function resourceOf(request: FastifyRequest, kind: 'search' | 'fetch'): PaidResource {
    const path = request.url.length > MAX_RESOURCE_CHARS ? request.url.split('?', 1)[0]! : request.url
    const base = (baseUrl ?? app.listeningOrigin).replace(/\/$/, '')
    return { url: `${base}/${path.replace(/^(?:https?:\/\/[^/]*)?\/+/, '')}`, description: descriptions[kind] }
  }

  async function answer<Request extends object, Answer>(
    request: FastifyRequest,
    reply: FastifyReply,
    { kind, mode, parse, run, send }: PaidRoute<Request, Answer>,
  ): Promise<FastifyReply> {
    if (request.overLimit) throw request.overLimit
    refuseKeyedMode(mode, 'forbidden')
    if (!payments) throw unavailable()
    const resource = resourceOf(request, kind)
    const { 'payment-signature': signature = '' } = request.headers
    const isPaid = typeof signature === 'string' && signature !== ''
    if (!isPaid && asksNothing(request)) {
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
    // Answered by a time-out meanwhile; a payment that went through still serves this request.
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
        const text = 'The payment is not confirmed yet: repeat the request with the same PAYMENT-SIGNATURE.'
        const error = new ServiceError('payments_unavailable', text, { retryAfterSeconds: 5 })
        return sendUnsettled(reply, error, charged.receipt)
      }
      case 'abandoned':
        throw new ServiceError('overloaded', 'The caller went away.', { retryAfterSeconds: 1 })
      case 'paid':
        tellDelivery(reply, delivery.resolve)
        reply.headers({ 'payment-response': toHeader(charged.receipt), 'cache-control': 'private' })
        return send(reply, charged.answer)
    }
  }

  function search(request: FastifyRequest, reply: FastifyReply, mode: unknown, parse: () => Promise<SearchRequest>) {
    return answer(request, reply, {
      kind: 'search',
      mode,
      parse: async () => {
        const parsed = await parse()
        await service.checkSearch(parsed)
        return parsed
      },
      run: parsed => service.search(parsed, { client: clientNetwork(request.ip) }),
      send: sendSearch,
    })
  }
  app.post('/v1/x402/search', paid, async (request, reply) => {
    const body = readJsonBody(request.body)
    return search(request, reply, 'value' in body ? modeOf(body.value) : undefined, async () => {
      if ('refusal' in body) throw body.refusal
      return await readRequest(searchRequest, body.value, searchReading(service, strayParameters(queryOf(request))))
    })
  })
  app.get('/v1/x402/search', paid, async (request, reply) => {
    const query = queryOf(request)
    return search(request, reply, query.mode, () => readForm(searchRequest, query, searchReading(service)))
  })
  app.get('/v1/x402/fetch', paid, async (request, reply) =>
    answer(request, reply, {
      kind: 'fetch',
      parse: async () => {
        const parsed = await readForm(fetchRequest, queryOf(request), fetchReading(service))
        await service.checkFetch(parsed)
        return parsed
      },
      run: parsed => service.fetch(parsed, { client: clientNetwork(request.ip), onReader: namedIn(reply) }),
      send: (sent, page) => sent.send(page),
    }),
  )
}
