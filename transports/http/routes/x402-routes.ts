import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CountByAddress, LimitStanding } from '../../../service/accounts/index.ts'
import { type SearchRequest, type Service, ServiceError, type WireErrorName } from '../../../service/index.ts'
import type { PaidResource, PaymentOffer, PaymentReceipt, Payments } from '../../../service/payments/index.ts'
import { countPaidCall } from '../admission/paid-calls.ts'
import { addWayIn, limitHeaders, refuseCaller, refuseKeyedMode } from '../admission/way-in.ts'
import { sendFailure } from '../error-response.ts'
import { offerHeaders, receiptHeaders, signedRequest, x402PaymentOf } from '../request/payment-headers.ts'
import { answerReceipt, clientCall, readerHeader, reportSent } from '../request/service-call.ts'
import { callPrice, payableBy } from '../schema/payment-info.ts'
import { postedBody, queryOf } from '../schema/read-request.ts'
import { type App, type DescribedResponse, errorBody, json, withHeader } from '../schema/route-schema.ts'
import { httpDefaults } from '../settings.ts'
import { callSchemas } from './call-schemas.ts'
import { VERIFY_BYTES } from './charged-routes.ts'
import { paymentOffer } from './payment-challenge.ts'

/** Maximum length of the request path in an offer. Clients reject very long headers. */
const MAX_RESOURCE_CHARS = 2_048
/**
 * Maximum length of the address in a signed receipt, which repeats it in base64 of base64. Proxies take headers of 4 KB by default; nginx
 * answers 502 if an answer has longer ones.
 */
const MAX_RECEIPT_CHARS = 600

const descriptions = { search: 'Web search', fetch: 'Page fetch', verify: 'Verification of quotes' } as const

type PaidCall = keyof typeof descriptions

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

interface PaidRequest<Request extends object, Answer> {
  call: PaidCall
  request: Request
  /** Checks the request beyond its schema. @throws ServiceError invalid_request */
  check: (request: Request) => Promise<void>
  run: (request: Request) => Promise<Answer>
  /** Returns what is delivered: the body, the instant that was answered for (epoch ms), and the state of the index. */
  delivered: (answer: Answer) => { body: object; instant: number; index: object }
  /** Sets the further headers of the answer. */
  addHeaders?: (reply: FastifyReply, answer: Answer) => void
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

/** Adds the payment headers and the offer, the body of a 402, to a schema. */
function withPayment<Schema extends { responses: Record<string, DescribedResponse> }>(schema: Schema): Schema {
  const refused = withReceipt({ description: '', ...schema.responses['402'] })
  const offer = 'The offer: JSON in base64. Absent if a settlement failed.'
  const responses = {
    ...schema.responses,
    402: {
      ...withHeader(refused, 'PAYMENT-REQUIRED', offer),
      description: 'An offer, or `Payment settlement failed`; then the result is withheld.',
      content: json(paymentOffer, errorBody),
    },
  }
  return { ...schema, responses }
}

/** Time after which a caller may ask again whether the index has pages. */
const EMPTY_RETRY_SECONDS = 60

const SEARCH_PATH = '/v1/x402/search'
const FETCH_PATH = '/v1/x402/fetch'
const VERIFY_PATH = '/v1/x402/verify'

/**
 * Admits callers who pay for each request to the routes of a plugin. Refusals have an order of precedence: 451, 413 and 415,
 * 429, 403.
 */
function admitPayers(app: App, payments: Payments | undefined, byAddress: CountByAddress): void {
  addWayIn(
    app,
    async request => ({ limit: await countPaidCall(request, payments, byAddress) }),
    (admission, request) => {
      refuseCaller(admission)
      if (request.routeOptions.url === SEARCH_PATH) refuseKeyedMode(request, 'forbidden')
    },
  )
}

/** Adds the routes under `/v1/x402` to a server that takes no payments. The routes answer 503 `payments_off`. */
export function addX402Refusals(app: App, byAddress: CountByAddress): void {
  admitPayers(app, undefined, byAddress)
  const handler = async () => {
    // The error has no `Retry-After`, because waiting does not help.
    throw new ServiceError('payments_off', 'Payments are off on this server. Call it with an API key, or without one.')
  }
  for (const path of [SEARCH_PATH, VERIFY_PATH]) app.post(path, handler)
  for (const path of [SEARCH_PATH, FETCH_PATH]) app.get(path, { exposeHeadRoute: false }, handler)
}

/** The parts that the routes of paid calls use. */
export interface PaidCalls {
  payments: Payments
  /** Counts requests of callers without a key, by address. */
  byAddress: CountByAddress
  /**
   * Public address of the server, for the address of the resource in an offer. The Host header is never used for it. Default:
   * the address on which the server listens.
   */
  baseUrl: string | undefined
}

/**
 * Adds search, fetch and the verification of quotes under `/v1/x402`. Each call is paid for by itself. Refusals have an order of
 * precedence: 451, 413 and 415, 429, 403, 400, 503, 402 for a missing or bad payment, 429 for the wallet. So nobody is asked to
 * pay for a request that can't be answered. A call without payment and parameters gets an offer. A request that fails is not charged. A 200 is sent
 * after its transfer is on the chain.
 */
export function addX402Routes(app: App, service: Service, paidCalls: PaidCalls): void {
  const { payments, byAddress, baseUrl } = paidCalls
  admitPayers(app, payments, byAddress)
  const schemas = callSchemas({
    kind: 'paid for by the request (x402)',
    shared: { security: [], sharedParameters: ['PaymentSignature'], ...payableBy(callPrice(payments)) },
    searchFailures: paidFailures,
    fetchFailures: paidFailures,
    answered: withReceipt,
  })

  function resourceOf(request: FastifyRequest, call: PaidCall): PaidResource {
    const path = request.url.length > MAX_RESOURCE_CHARS ? request.url.replace(/\?.*$/s, '') : request.url
    const base = baseUrl ?? app.listeningOrigin
    return { url: `${base}/${path.replace(/^(?:https?:\/\/[^/]*)?\/+/, '')}`, description: descriptions[call] }
  }

  /**
   * Refuses a call that only the index answers while it has no page, so that nobody is asked to pay for an empty answer. A fetch
   * can be live, and one that is not costs nothing if there is no such page.
   */
  async function expectPages(call: PaidCall): Promise<void> {
    if (call === 'fetch' || (await service.hasPages())) return
    const text = 'The index of this server has no pages, so there is nothing to pay for. Nothing was charged.'
    throw new ServiceError('payments_unavailable', text, { retryAfterSeconds: EMPTY_RETRY_SECONDS })
  }

  /** Returns the options of a route. A call without payment and parameters gets an offer, although parameters are missing. */
  function paid(call: PaidCall) {
    return {
      // A paid HEAD would be charged and would return nothing.
      exposeHeadRoute: false,
      handlerTimeout: httpDefaults.paidAnswerTimeoutMs,
      preValidation: async (request: FastifyRequest, reply: FastifyReply) => {
        if (x402PaymentOf(request) !== undefined || !hasNoParameters(request)) return
        await expectPages(call)
        await payments.ready()
        return sendOffer(reply, payments.calls.offer(resourceOf(request, call)))
      },
    }
  }

  async function answer<Request extends object, Answer>(
    reply: FastifyReply,
    { call, request: asked, check, run, delivered: deliveredBy, addHeaders }: PaidRequest<Request, Answer>,
  ): Promise<FastifyReply> {
    const resource = resourceOf(reply.request, call)
    const payment = x402PaymentOf(reply.request)
    await check(asked)
    await expectPages(call)
    await payments.ready()
    if (payment === undefined) return sendOffer(reply, payments.calls.offer(resource))
    const delivered = Promise.withResolvers<boolean>()
    const outcome = await payments.calls.charge({
      // Quotes cost as much as a fetch, and are stored as one.
      kind: call === 'search' ? 'search' : 'fetch',
      payment,
      request: asked,
      run,
      isTooLate: () => reply.sent || reply.raw.destroyed,
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
        const { body, ...state } = deliveredBy(answered)
        const text = JSON.stringify(body)
        const signed = await payments.receipts.sign({
          resourceUrl: shortened(resource.url),
          receipt,
          request: signedRequest(reply.request),
          paid,
          issuedAt: paid.settledAt,
          body: text,
          ...state,
        })
        if (reply.sent) return reply
        addHeaders?.(reply, answered)
        return reply
          .headers({ 'cache-control': 'private', ...receiptHeaders({ x402: receipt }, signed) })
          .type('application/json; charset=utf-8')
          .send(text)
      }
    }
  }

  function search(request: SearchRequest, reply: FastifyReply): Promise<FastifyReply> {
    return answer(reply, {
      call: 'search',
      request,
      check: asked => service.checkSearch(asked),
      run: asked => service.search(asked, clientCall(reply.request, reply)),
      delivered: ({ response, receipt }) => ({ body: response, instant: receipt.instant, index: receipt }),
      addHeaders: (sent, { receipt }) => sent.headers(answerReceipt(receipt)),
    })
  }
  const searchPost = withPayment(schemas.searchPost('search_x402_post'))
  app.post(SEARCH_PATH, { ...paid('search'), schema: searchPost }, async (request, reply) =>
    search(request.body, reply),
  )
  const searchGet = withPayment(schemas.searchGet('search_x402_get'))
  app.get(SEARCH_PATH, { ...paid('search'), schema: searchGet }, async (request, reply) => search(request.query, reply))
  const fetch = withPayment(schemas.fetch('fetch_x402'))
  app.get(FETCH_PATH, { ...paid('fetch'), schema: fetch }, async (request, reply) =>
    answer(reply, {
      call: 'fetch',
      request: request.query,
      check: asked => service.checkFetch(asked),
      run: async asked => {
        let instant = 0
        const onInstant = (at: number) => {
          instant = at
        }
        const context = { ...clientCall(request, reply), onReader: readerHeader(reply), onInstant }
        return { page: await service.fetch(asked, context), instant }
      },
      delivered: ({ page, instant }) => ({
        ...{ body: page, instant },
        index: page.acquired_at === undefined ? { live: true } : { acquired_at: page.acquired_at },
      }),
    }),
  )
  const verify = withPayment(schemas.verify('verify_x402'))
  const verifyOptions = { ...paid('verify'), schema: verify, bodyLimit: VERIFY_BYTES }
  app.post(VERIFY_PATH, verifyOptions, async (request, reply) =>
    answer(reply, {
      call: 'verify',
      request: request.body,
      check: asked => service.checkVerify(asked),
      run: asked => service.verify(asked, clientCall(request, reply)),
      delivered: judged => ({
        body: judged,
        instant: Date.parse(judged.verdicts[0]?.instant ?? ''),
        index: { verdicts: judged.verdicts.length },
      }),
    }),
  )
}
