import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CountByAddress, LimitStanding } from '../../service/accounts/index.ts'
import {
  type ChargedName,
  chargedCalls,
  isCharged,
  type Service,
  ServiceError,
  type WireErrorName,
} from '../../service/index.ts'
import {
  type App,
  type AskedCall,
  addWayIn,
  answerHeaders,
  type CallPaths,
  callOf,
  clientCall,
  type DescribedResponse,
  errorBody,
  isTooLate,
  json,
  limitHeaders,
  postedBody,
  queryOf,
  refuseCaller,
  refuseWithoutKey,
  reportSent,
  sendFailure,
  type Way,
  withHeader,
} from '../../transports/http/ways/index.ts'
import type { PaidResource, PaymentOffer, PaymentReceipt, Payments } from '../payments/index.ts'
import { countPaidCall, type PaidCalls } from './paid-calls.ts'
import { PAID_ANSWER_TIMEOUT_MS } from './paid-time.ts'
import { paymentOffer } from './payment-challenge.ts'
import { offerHeaders, receiptHeaders, signedRequest, x402PaymentOf } from './payment-headers.ts'
import { callPrice, payableBy } from './payment-info.ts'

/** Maximum length of the request path in an offer. Clients reject very long headers. */
const MAX_RESOURCE_CHARS = 2_048
/**
 * Maximum length of the address in a signed receipt, which repeats it in base64 of base64. Proxies take headers of 4 KB by default; nginx
 * answers 502 if an answer has longer ones.
 */
const MAX_RECEIPT_CHARS = 600

/** Time after which a caller may ask again whether the index has pages. */
const EMPTY_RETRY_SECONDS = 60

function sendOffer(reply: FastifyReply, offer: PaymentOffer): FastifyReply {
  reply.request.refusal = new ServiceError('payment_required', offer.error)
  return reply
    .code(402)
    .headers(offerHeaders({ x402: offer }))
    .send(offer)
}

/** Sends the error for a payment that failed or is undecided, with the receipt of the payment. */
function sendWithReceipt(reply: FastifyReply, error: ServiceError, receipt: PaymentReceipt): FastifyReply {
  return sendFailure(reply.headers({ 'cache-control': 'no-store', ...receiptHeaders({ x402: receipt }) }), error)
}

/** Sets the rate limit headers to the limit of the wallet, if the wallet has fewer calls left than the address. */
function showTighter(reply: FastifyReply, standing: LimitStanding): void {
  const shown = Number(reply.getHeader('x-ratelimit-remaining'))
  if (standing.remaining < shown) reply.headers(limitHeaders(standing))
}

/** Returns an address without its query if it is too long for a receipt. The hash of the answer, which names the query, remains. */
function shortened(url: string): string {
  return url.length > MAX_RECEIPT_CHARS ? url.replace(/\?.*$/s, '') : url
}

/** Returns true for a call without any parameter. Directories of paid services make such calls to learn the price. */
function hasNoParameters(request: FastifyRequest): boolean {
  return Object.keys(queryOf(request)).length === 0 && !postedBody(request)?.bytes.length
}

const paidFailures: readonly WireErrorName[] = [
  'payment_required',
  'payment_settlement_failed',
  'forbidden',
  'unavailable_region',
  'payments_unavailable',
]

function withReceipt(response: DescribedResponse): DescribedResponse {
  return withHeader(
    response,
    'PAYMENT-RESPONSE',
    'Receipt with the hash of the transaction, and in a 200 with a signed receipt of what was delivered: JSON in base64.',
  )
}

/** Adds the payment headers and the offer, the body of a 402, to the responses of a call. */
function withPayment(responses: Record<string, DescribedResponse>): Record<string, DescribedResponse> {
  const none: DescribedResponse = { description: '' }
  const { 200: answered = none, 402: refused = none } = responses
  const offer = 'The offer: JSON in base64. Absent if a settlement failed.'
  return {
    ...responses,
    200: withReceipt(answered),
    402: {
      ...withHeader(withReceipt(refused), 'PAYMENT-REQUIRED', offer),
      description: 'An offer, or `Payment settlement failed`; then the result is withheld.',
      content: json(paymentOffer, errorBody),
    },
  }
}

export const x402Paths: CallPaths<ChargedName> = { offers: isCharged, path: name => `/v1/x402/${name}` }

/**
 * Admits callers who pay for each request. Refusals have an order of precedence: 451, 413 and 415, 429, 403.
 */
function admitPayers(app: App, payments: Payments | undefined, byAddress: CountByAddress): void {
  addWayIn(
    app,
    async request => ({ limit: await countPaidCall(request, payments, byAddress) }),
    (admission, request) => {
      refuseCaller(admission)
      refuseWithoutKey(request, 'forbidden')
    },
  )
}

/** The way in under `/v1/x402` of a server that takes no payments. It answers 503 `payments_off`. */
export function x402RefusedWay(byAddress: CountByAddress): Way<ChargedName> {
  return {
    ...x402Paths,
    isPublic: false,
    answersHead: false,
    admit: app => admitPayers(app, undefined, byAddress),
    answer: async () => {
      const text = 'Payments are off on this server. Call it with an API key, or without one.'
      // The error has no `Retry-After`, because waiting does not help.
      throw new ServiceError('payments_off', text)
    },
  }
}

/**
 * Calls that are each paid for by themselves, under `/v1/x402`. Refusals have an order of precedence: 451, 413 and 415, 429, 403, 400,
 * 503, 402 for a missing or bad payment, 429 for the wallet. So nobody is asked to pay for a request that can't be answered. A call
 * without payment and parameters gets an offer. A request that fails is not charged. A 200 is sent after its transfer is on the chain.
 */
export function x402Way(service: Service, { payments, byAddress, baseUrl }: PaidCalls): Way<ChargedName> {
  function resourceOf(request: FastifyRequest, name: ChargedName): PaidResource {
    const { originalUrl } = request
    const path = originalUrl.length > MAX_RESOURCE_CHARS ? originalUrl.replace(/\?.*$/s, '') : originalUrl
    const base = baseUrl ?? request.server.listeningOrigin
    const { title: description } = chargedCalls[name].charged
    return { url: `${base}/${path.replace(/^(?:https?:\/\/[^/]*)?\/+/, '')}`, description }
  }

  /** Refuses a call that only the index answers while it has no page, so that nobody is asked to pay for an empty answer. */
  async function expectPages(name: ChargedName): Promise<void> {
    if (chargedCalls[name].charged.needsNoPages || (await service.hasPages())) return
    const text = 'The index of this server has no pages, so there is nothing to pay for. Nothing was charged.'
    throw new ServiceError('payments_unavailable', text, { retryAfterSeconds: EMPTY_RETRY_SECONDS })
  }

  /** Sends an offer for a call without payment and parameters, although parameters are missing. */
  async function offerToVisitor(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> {
    const name = callOf(request)
    if (!isCharged(name) || x402PaymentOf(request) !== undefined || !hasNoParameters(request)) return undefined
    await expectPages(name)
    await payments.ready()
    return sendOffer(reply, payments.calls.offer(resourceOf(request, name)))
  }

  async function answer<N extends ChargedName>({ name, asked, request, reply }: AskedCall<N>): Promise<FastifyReply> {
    const { kind, indexOf } = chargedCalls[name].charged
    const resource = resourceOf(request, name)
    const payment = x402PaymentOf(request)
    await service.check(name, asked)
    await expectPages(name)
    await payments.ready()
    if (payment === undefined) return sendOffer(reply, payments.calls.offer(resource))
    const delivered = Promise.withResolvers<boolean>()
    const outcome = await payments.calls.charge({
      kind,
      payment,
      request: asked,
      run: paidFor => service.answer(name, paidFor, clientCall(request, reply)),
      isTooLate: () => isTooLate(reply),
      onWalletLimit: standing => showTighter(reply, standing),
      delivered: delivered.promise,
    })
    // The call timed out and was answered. If the payment has settled, the caller can repeat the request with it.
    if (reply.sent) {
      delivered.resolve(false)
      return reply
    }
    switch (outcome.kind) {
      case 'refused':
        return sendOffer(reply, payments.calls.offer(resource, outcome.reason))
      case 'failed': {
        const error = new ServiceError('payment_settlement_failed', outcome.reason)
        return sendWithReceipt(reply, error, outcome.receipt)
      }
      case 'undecided': {
        const text = 'The payment is not confirmed yet. Repeat the request with the same PAYMENT-SIGNATURE.'
        const error = new ServiceError('payments_unavailable', text, { retryAfterSeconds: 5 })
        return sendWithReceipt(reply, error, outcome.receipt)
      }
      case 'abandoned':
        throw new ServiceError('overloaded', 'The caller closed the connection.', { retryAfterSeconds: 1 })
      case 'settled': {
        reportSent(reply, delivered.resolve)
        const { answer: answered, receipt, paid } = outcome
        const body = JSON.stringify(answered.body)
        const signed = await payments.receipts.sign({
          resourceUrl: shortened(resource.url),
          receipt,
          request: signedRequest(request),
          paid,
          issuedAt: paid.settledAt,
          body,
          instant: answered.instant,
          index: indexOf(answered),
        })
        if (reply.sent) return reply
        return reply
          .headers(answerHeaders(answered))
          .headers({ 'cache-control': 'private', ...receiptHeaders({ x402: receipt }, signed) })
          .type('application/json; charset=utf-8')
          .send(body)
      }
    }
  }

  return {
    ...x402Paths,
    isPublic: false,
    // A paid HEAD would be charged and would return nothing.
    answersHead: false,
    described: {
      kind: 'paid for by the request (x402)',
      operationId: (name, method) => `${name}_x402${method}`,
      shared: { security: [], sharedParameters: ['PaymentSignature'], ...payableBy(callPrice(payments)) },
      failures: () => paidFailures,
      withOwn: withPayment,
    },
    timeoutMs: PAID_ANSWER_TIMEOUT_MS,
    admit: app => {
      admitPayers(app, payments, byAddress)
      app.addHook('preValidation', offerToVisitor)
    },
    answer,
  }
}
