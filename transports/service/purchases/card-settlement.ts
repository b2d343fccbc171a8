import { Challenge, Receipt } from 'mppx'
import { Mppx, stripe } from 'mppx/server'
import Stripe from 'stripe'
import { z } from 'zod'
import type { Plan } from '../accounts/index.ts'
import { readCredential, refusalOf, scopeOf } from './mpp-credential.ts'
import type { MppSettings } from './mpp-settlement.ts'
import type {
  CardEvent,
  CardEvents,
  HeaderLines,
  PaymentHeaders,
  Proof,
  Sale,
  Settled,
  Settlement,
} from './settlement.ts'

/** How cards are charged, by Stripe. */
export interface CardSettings {
  secretKey: string
  /** The secret with which Stripe signs its events. */
  webhookSecret: string
  /** The profile of the seller in Stripe's network, to which shared payment tokens are granted. */
  networkId: string
  /** The address of Stripe's API. Default: Stripe's own. */
  apiBase?: string
}

const CENTS_DECIMALS = 2
const TIMEOUT_MS = 30_000
/** The version of Stripe's API that has shared payment tokens. */
const API_VERSION = '2026-07-29.preview'

const token = z.object({ spt: z.string().min(1).max(255) })
/** The amount that a challenge asks for, in cents. */
const asked = z.object({ amount: z.string().regex(/^[1-9]\d{0,11}$/) })

/** What a payment intent says about its purchase. */
const metadata = z.object({ asof_agent: z.string(), asof_plan: z.string(), asof_proof: z.string() })

function clientOf({ secretKey, apiBase }: CardSettings): Stripe {
  const base = apiBase === undefined ? undefined : new URL(apiBase)
  return new Stripe(secretKey, {
    maxNetworkRetries: 1,
    telemetry: false,
    timeout: TIMEOUT_MS,
    ...(base && {
      host: base.hostname,
      port: base.port === '' ? (base.protocol === 'http:' ? 80 : 443) : base.port,
      protocol: base.protocol === 'http:' ? 'http' : 'https',
    }),
  })
}

function shopOf({ secretKey, realm }: MppSettings, { networkId }: CardSettings, client: Stripe) {
  const charge = stripe.charge({
    // The library only makes challenges and verifies credentials. Cards are charged below, repeatably.
    client: client as never,
    networkId,
    paymentMethodTypes: ['card'],
    currency: 'usd',
    decimals: CENTS_DECIMALS,
  })
  const verifiable = {
    ...charge,
    // All checks that need no charge are made before this is called.
    validate: async ({ credential }: { credential: { challenge: never } }) => ({
      ...{ challenge: credential.challenge, credential, intent: 'charge', method: 'stripe' },
    }),
  } as unknown as typeof charge
  return Mppx.create({ realm, secretKey, requiresAuth: true, methods: [verifiable] })
}

const { StripeCardError, StripeIdempotencyError, StripeInvalidRequestError } = Stripe.errors

/**
 * Returns the outcome of a charge that Stripe's library reports as an error.
 *
 * @param isRepeated - true if an earlier call may have charged the card.
 */
function outcomeOf(error: unknown, isRepeated: boolean): Settled {
  if (error instanceof StripeCardError) return { kind: 'failed', reason: declineOf(error), headers: {} }
  if (!isRepeated) {
    // The challenge was answered before with another token, which was declined.
    if (error instanceof StripeIdempotencyError) return { kind: 'refused', reason: 'invalid_challenge' }
    if (error instanceof StripeInvalidRequestError) return { kind: 'failed', reason: declineOf(error), headers: {} }
  }
  // The card may have been charged: no answer, an outage, or an earlier attempt that still runs.
  return { kind: 'undecided', headers: {} }
}

/** Returns the reason of a declined card, as a term. */
function declineOf(error: unknown): string {
  const { decline_code: decline, code } = error as { decline_code?: string; code?: string }
  const reason = decline ?? code
  return reason !== undefined && /^[a-z0-9_]{1,80}$/.test(reason) ? reason : 'card_declined'
}

/** Buys plans by card: MPP with the method `stripe`, a shared payment token of Stripe. */
export class CardSettlement implements Settlement, CardEvents {
  readonly method = 'card'
  readonly #client: Stripe
  readonly #shop: ReturnType<typeof shopOf>
  readonly #webhookSecret: string

  constructor(card: CardSettings, mpp: MppSettings) {
    this.#client = clientOf(card)
    this.#shop = shopOf(mpp, card, this.#client)
    this.#webhookSecret = card.webhookSecret
  }

  proofIn({ credential }: PaymentHeaders): Proof | undefined {
    const read = credential === undefined ? undefined : readCredential(credential)
    if (credential === undefined || read?.challenge.method !== 'stripe') return undefined
    const { id } = read.challenge
    return { id: /^[\w-]{1,100}$/.test(id) && token.safeParse(read.payload).success ? id : '', header: credential }
  }

  async offer(plan: Plan): Promise<HeaderLines> {
    const challenge = await this.#shop.challenge.stripe.charge({
      amount: plan.price_usd,
      description: plan.title,
      scope: scopeOf(plan),
    })
    return { 'www-authenticate': Challenge.serialize(challenge) }
  }

  async settle({ plan, agent, proof, isRepeated }: Sale): Promise<Settled> {
    if (!isRepeated) {
      try {
        const request = { amount: plan.price_usd } as never
        await this.#shop.validateCredential(proof.header, { request, scope: scopeOf(plan) })
      } catch (error) {
        return { kind: 'refused', reason: refusalOf(error) }
      }
    }
    const read = readCredential(proof.header)
    const { spt } = token.parse(read?.payload)
    // The amount of the challenge, because the price may have changed since an earlier attempt.
    const { amount } = asked.parse(read?.challenge.request)
    const asofMetadata = { asof_agent: agent, asof_plan: plan.id, asof_proof: proof.id }
    const intent = {
      ...{ amount: Number(amount), currency: 'usd', confirm: true, metadata: asofMetadata },
      automatic_payment_methods: { enabled: true, allow_redirects: 'never' as const },
      // Not in the types of the library yet.
      shared_payment_granted_token: spt,
    }
    try {
      // With the same key, Stripe charges once and repeats its answer.
      const options = { idempotencyKey: `asof_${agent}_${proof.id}`, apiVersion: API_VERSION }
      const { id, status } = await this.#client.paymentIntents.create(intent, options)
      return settledBy(id, status)
    } catch (error) {
      return outcomeOf(error, isRepeated)
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
    return { kind: 'paid', reference, agent, plan, proof, headers: cardReceipt(reference) }
  }
}

/** Returns the refund of a charge, or `undefined` if only a part of it was refunded. */
function refundOf({ refunded, payment_intent: intent }: Stripe.Charge): CardEvent | undefined {
  if (!refunded || intent === null) return undefined
  return { kind: 'refunded', reference: typeof intent === 'string' ? intent : intent.id }
}

function settledBy(id: string, status: string): Settled {
  if (status === 'succeeded') return { kind: 'settled', reference: id, headers: cardReceipt(id) }
  if (status === 'processing') return { kind: 'undecided', headers: {} }
  return { kind: 'failed', reason: /^[a-z_]{1,80}$/.test(status) ? status : 'card_declined', headers: {} }
}

/** Returns the headers of the receipt of a card payment. */
function cardReceipt(reference: string): HeaderLines {
  const timestamp = new Date().toISOString()
  return { 'payment-receipt': Receipt.serialize({ method: 'stripe', status: 'success', reference, timestamp }) }
}
