import { LRUCache } from 'lru-cache'
import { Receipt } from 'mppx'
import { Mppx, stripe } from 'mppx/server'
import Stripe from 'stripe'
import { z } from 'zod'
import type { Plan } from '../../service/accounts/index.ts'
import { cents, ServiceError } from '../../service/index.ts'
import type { MppSettings } from './mpp-method.ts'
import type {
  CardEvent,
  CardEvents,
  LookUpOutcome,
  MethodOutcome,
  Offers,
  PaymentMethod,
  Proof,
  SentPayment,
  SettleOptions,
} from './payment-method.ts'
import { PlanChallenges, readCredential } from './plan-challenges.ts'
import { isCardPrice } from './plan-offers.ts'
import type { OpenPurchase, PaymentReceipts } from './purchase.ts'

/** The settings of card payments by Stripe. */
export interface CardSettings {
  /** The secret key of Stripe's API. */
  secretKey: string
  /** The secret with which Stripe signs its events. */
  webhookSecret: string
  /** The profile of the seller in Stripe's network, to which shared payment tokens are granted. */
  networkId: string
  /** The address of Stripe's API. Default: Stripe's own. */
  apiBase?: string
}

const CENTS_DECIMALS = 2
/**
 * Time within which a charge can be repeated safely. Stripe stores the answer to an idempotency key for 24 hours. After that,
 * the same request would charge again.
 */
const REPEATABLE_MS = 23 * 3_600_000
const TIMEOUT_MS = 30_000
/**
 * Time within which Stripe's event about a charge usually arrives, and after which a search at Stripe finds the charge. An event
 * can be lost: then the charge is looked up, first after this time.
 */
const EVENT_MS = 60_000
/** Longest time between two look-ups of a charge. The time doubles with each of them, because Stripe limits searches. */
const LONGEST_LOOK_UP_MS = 3_600_000
/** Number of charges whose last look-up is known. A forgotten one is looked up at once. */
const LOOK_UPS = 10_000
/** The version of Stripe's API that has shared payment tokens. */
const API_VERSION = '2026-07-29.preview'

const token = z.object({ spt: z.string().min(1).max(255) })

/** The metadata of a payment intent, which identify its purchase. */
const metadata = z.object({ asof_agent: z.string(), asof_plan: z.string(), asof_proof: z.string() })

/** The fields of Stripe's answer to a charge that asof reads. */
const intentAnswer = z.object({ id: z.string().min(1), status: z.string() })

function stripeClient({ secretKey, apiBase }: CardSettings): Stripe {
  const options = { maxNetworkRetries: 1, telemetry: false, timeout: TIMEOUT_MS }
  if (apiBase === undefined) return new Stripe(secretKey, options)
  const { hostname: host, port, protocol } = new URL(apiBase)
  const isPlain = protocol === 'http:'
  return new Stripe(secretKey, {
    ...options,
    host,
    port: port === '' ? (isPlain ? 80 : 443) : port,
    protocol: isPlain ? 'http' : 'https',
  })
}

function mppServer({ secretKey, realm }: MppSettings, { networkId }: CardSettings, client: Stripe) {
  const charge = stripe.charge({
    // Here mppx only makes challenges and verifies credentials. `CardMethod.settle` charges the cards.
    client: client as never,
    networkId,
    paymentMethodTypes: ['card'],
    currency: 'usd',
    decimals: CENTS_DECIMALS,
  })
  const verifiable = {
    ...charge,
    // mppx calls this after all checks that need no charge.
    validate: async ({ credential }: { credential: { challenge: never } }) => ({
      challenge: credential.challenge,
      credential,
      intent: 'charge',
      method: 'stripe',
    }),
  } as unknown as typeof charge
  return Mppx.create({ realm, secretKey, requiresAuth: true, methods: [verifiable] })
}

const { StripeAuthenticationError, StripePermissionError } = Stripe.errors
const { StripeCardError, StripeIdempotencyError, StripeInvalidRequestError } = Stripe.errors

/**
 * Returns the outcome of a charge that Stripe's library reports as an error.
 *
 * @param isRepeated - true if an earlier call may have charged the card.
 */
function outcomeOfError(error: unknown, isRepeated: boolean): MethodOutcome {
  if (error instanceof StripeCardError) return { kind: 'failed', reason: declineOf(error), paymentReceipts: {} }
  // Stripe repeats its first answer to an idempotency key. This answer is an error, so no earlier call charged the card.
  if (error instanceof StripeInvalidRequestError)
    return { kind: 'failed', reason: declineOf(error), paymentReceipts: {} }
  if (!isRepeated) {
    // An earlier call answered the challenge with another token, which was declined.
    if (error instanceof StripeIdempotencyError) return { kind: 'refused', reason: 'invalid_challenge' }
    // Stripe does not accept the key of this account, so it charged nothing.
    if (error instanceof StripeAuthenticationError || error instanceof StripePermissionError)
      throw cardsUnavailable(error)
  }
  // The card may have been charged: Stripe gave no answer, has an outage, or is still charging. A 429 (too many requests) can
  // also follow a charge: the library repeats a request whose connection broke, and reports only the last answer.
  return { kind: 'undecided', paymentReceipts: {} }
}

function cardsUnavailable(cause: unknown): ServiceError {
  return new ServiceError('payments_unavailable', 'Card payments are temporarily unavailable. Nothing was charged.', {
    cause,
    retryAfterSeconds: 60,
  })
}

/** Returns the reason why a card was declined, as a term. */
function declineOf(error: unknown): string {
  const { decline_code: decline, code } = error as { decline_code?: string; code?: string }
  const reason = decline ?? code
  return reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : 'card_declined'
}

/** Buys plans by card: MPP with the method `stripe`, a shared payment token of Stripe. */
export class CardMethod implements PaymentMethod, CardEvents {
  readonly name = 'card'
  readonly #client: Stripe
  readonly #server: ReturnType<typeof mppServer>
  readonly #challenges: PlanChallenges
  readonly #webhookSecret: string
  readonly #now: () => number
  /** When each charge is looked up again, by proof. */
  readonly #nextLookUp = new LRUCache<string, { at: number; waitMs: number }>({ max: LOOK_UPS })

  /** @param nonce - see {@link PlanChallenges}. */
  constructor(card: CardSettings, mpp: MppSettings, now: () => number, nonce: () => string) {
    this.#now = now
    this.#client = stripeClient(card)
    const server = mppServer(mpp, card, this.#client)
    this.#server = server
    this.#challenges = new PlanChallenges(terms => server.challenge.stripe.charge(terms), nonce)
    this.#webhookSecret = card.webhookSecret
  }

  proofIn({ mpp }: SentPayment): Proof | undefined {
    const read = mpp === undefined ? undefined : readCredential(mpp)
    if (read?.challenge.method !== 'stripe') return undefined
    const { id } = read.challenge
    return { id: /^[\w-]{1,100}$/.test(id) && token.safeParse(read.payload).success ? id : '', payment: mpp }
  }

  offer(plan: Plan): Promise<Offers> {
    return this.#challenges.offer(plan)
  }

  takes({ price_usd }: Plan): boolean {
    return isCardPrice(price_usd)
  }

  async check(plan: Plan, proof: Proof): Promise<string | undefined> {
    return await this.#challenges.refusal(this.#server, plan, String(proof.payment))
  }

  async settle(purchase: OpenPurchase, { isRepeated }: SettleOptions): Promise<MethodOutcome> {
    const { plan, agent, proof, at, payment } = purchase
    if (isRepeated && this.#now() - at > REPEATABLE_MS) return await this.#find(purchase)
    const credential = String(payment)
    if (!(await this.#challenges.isOf(plan, credential))) {
      // The challenge is not valid now, but an earlier call may have charged the card before the secret of the challenges
      // changed.
      return isRepeated ? { kind: 'undecided', paymentReceipts: {} } : { kind: 'refused', reason: 'invalid_challenge' }
    }
    const { spt } = token.parse(readCredential(credential)?.payload)
    const asofMetadata = { asof_agent: agent, asof_plan: plan.id, asof_proof: proof }
    const intent = {
      amount: cents(plan.price_usd),
      currency: 'usd',
      confirm: true,
      metadata: asofMetadata,
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' as const },
      // The types of Stripe's library do not have this field yet.
      shared_payment_granted_token: spt,
    }
    try {
      // With the same key, Stripe charges once and repeats its answer.
      const options = { idempotencyKey: `asof_${agent}_${proof}`, apiVersion: API_VERSION }
      return outcomeOfIntent(await this.#client.paymentIntents.create(intent, options))
    } catch (error) {
      return outcomeOfError(error, isRepeated)
    }
  }

  /**
   * Looks up a charge for which no event of Stripe has come. Returns `undecided` if the event may still come, or if it is not time
   * to ask Stripe again. A charge that Stripe does not know stays undecided as long as it can be repeated.
   */
  async lookUp(purchase: OpenPurchase): Promise<LookUpOutcome> {
    const age = this.#now() - purchase.at
    if (age < EVENT_MS || !this.#isDue(purchase.proof)) return { kind: 'undecided' }
    const found = await this.#find(purchase)
    if (found.kind === 'undecided') return found
    if (found.kind === 'refused' && age <= REPEATABLE_MS) return { kind: 'undecided' }
    this.#nextLookUp.delete(purchase.proof)
    return found.kind === 'refused' ? { kind: 'failed' } : found
  }

  /** Returns true if a charge is to be looked up now, and plans the next look-up. */
  #isDue(proof: string): boolean {
    const now = this.#now()
    const next = this.#nextLookUp.get(proof)
    if (next && now < next.at) return false
    const waitMs = Math.min(2 * (next?.waitMs ?? EVENT_MS / 2), LONGEST_LOOK_UP_MS)
    this.#nextLookUp.set(proof, { at: now + waitMs, waitMs })
    return true
  }

  async isUnderWay({ at }: OpenPurchase): Promise<boolean> {
    return this.#now() - at < EVENT_MS
  }

  /** Searches Stripe for a charge. `refused` means that Stripe does not know it. */
  async #find({ agent, proof }: OpenPurchase): Promise<MethodOutcome> {
    try {
      const { data } = await this.#client.paymentIntents.search({ query: `metadata['asof_proof']:'${proof}'` })
      const own = data.find(intent => intent.metadata.asof_agent === agent)
      return own ? outcomeOfIntent(own) : { kind: 'refused', reason: 'payment_expired' }
    } catch {
      return { kind: 'undecided', paymentReceipts: {} }
    }
  }

  readEvent(body: Uint8Array, signature: string): CardEvent | undefined {
    const event = this.#client.webhooks.constructEvent(Buffer.from(body), signature, this.#webhookSecret)
    if (event.type === 'charge.refunded') return refundOf(event.data.object)
    if (event.type !== 'payment_intent.succeeded') return undefined
    const { id: reference, metadata: given } = event.data.object
    const { data } = metadata.safeParse(given)
    if (!data) return undefined
    const { asof_agent: agent, asof_plan: plan, asof_proof: proof } = data
    return { kind: 'settled', reference, agent, plan, proof, paymentReceipts: cardReceipt(reference) }
  }
}

/** Returns the refund of a charge, or `undefined` if only a part of it was refunded. */
function refundOf({ refunded, payment_intent: intent }: Stripe.Charge): CardEvent | undefined {
  if (!refunded || intent === null) return undefined
  return { kind: 'refunded', reference: typeof intent === 'string' ? intent : intent.id }
}

/** The statuses of a payment intent that has failed, if it was confirmed without its customer. */
const failedStates = new Set(['requires_payment_method', 'requires_confirmation', 'requires_action', 'canceled'])

/**
 * Returns the outcome of a charge that Stripe answered. An unknown status is undecided, because the library does not throw for
 * a 5xx answer whose JSON has no `error`.
 */
function outcomeOfIntent(answer: unknown): MethodOutcome {
  const { data } = intentAnswer.safeParse(answer)
  if (data?.status === 'succeeded')
    return { kind: 'settled', reference: data.id, paymentReceipts: cardReceipt(data.id) }
  if (data && failedStates.has(data.status)) return { kind: 'failed', reason: data.status, paymentReceipts: {} }
  return { kind: 'undecided', paymentReceipts: {} }
}

function cardReceipt(reference: string): PaymentReceipts {
  const timestamp = new Date().toISOString()
  return { mpp: Receipt.serialize({ method: 'stripe', status: 'success', reference, timestamp }) }
}
