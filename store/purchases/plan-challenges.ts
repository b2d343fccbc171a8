import { createHash, timingSafeEqual } from 'node:crypto'
import { Challenge, Credential, Errors, PaymentRequest } from 'mppx'
import { z } from 'zod'
import type { Plan } from '../../service/accounts/index.ts'
import type { Offers } from './payment-method.ts'

/**
 * A credential of MPP (Machine Payments Protocol): a challenge, and the proof of payment that answers it. It is not verified.
 */
export type MppCredential = Credential.Credential<unknown>

/** Parses a credential. Returns `undefined` if it is malformed. */
export function readCredential(text: string): MppCredential | undefined {
  try {
    return Credential.deserialize(text)
  } catch {
    // The caller gets a new offer with the reason `invalid_payload`.
    return undefined
  }
}

/** Returns the reason why a credential is not valid, as a term. */
export function refusalOf(error: unknown): string {
  if (error instanceof Errors.PaymentExpiredError) return 'payment_expired'
  if (error instanceof Errors.InvalidChallengeError) return 'invalid_challenge'
  if (error instanceof Errors.InvalidPayloadError) return 'invalid_payload'
  // The library also throws plain errors for malformed fields and signatures.
  return 'invalid_payment'
}

/** The content of a challenge of MPP. */
export interface ChallengeTerms {
  /** In US dollars. */
  amount: string
  description: string
  /** The plan, so that the challenge can't be used for another plan of the same price. */
  scope: string
  meta: Record<string, string>
  /** ISO 8601. Default: five minutes from now. */
  expires?: string
}

/** The random part of a challenge. Clients send it back unchanged. */
const opaque = z.object({ nonce: z.string() })

function nonceOf({ opaque: sent }: Challenge.Challenge): string {
  try {
    return opaque.parse(PaymentRequest.deserialize(sent ?? '')).nonce
  } catch {
    // The challenge was not issued here. No issued challenge has an empty nonce, so the check will fail.
    return ''
  }
}

/** Returns a digest of the id of a challenge, and of the request that the challenge states. */
function digestOf({ id, request }: Challenge.Challenge): Buffer {
  return createHash('sha256')
    .update(`${id}\n${PaymentRequest.serialize(request)}`)
    .digest()
}

function termsOf({ id, price_usd, title }: Plan, nonce: string): ChallengeTerms {
  return { amount: price_usd, description: title, scope: `plan:${id}`, meta: { nonce } }
}

interface ExpectedChallenge {
  request: { amount: string }
  scope: string
  meta: Record<string, string>
}

/** The part of a server of `mppx` that checks credentials. */
interface MppServer {
  validateCredential(credential: string, expected: ExpectedChallenge): Promise<unknown>
}

/**
 * The challenges of MPP for plans, by one method of payment. The id of a challenge is an HMAC of its content, so a challenge is
 * recognized without being stored. A proof of payment is identified by the id of its challenge, so two buyers must never get
 * the same challenge. A random nonce makes each challenge different.
 */
export class PlanChallenges {
  readonly #issue: (terms: ChallengeTerms) => Promise<Challenge.Challenge>
  readonly #nonce: () => string

  /**
   * @param issue - makes the challenge of one method.
   * @param nonce - returns a new random value at each call.
   */
  constructor(issue: (terms: ChallengeTerms) => Promise<Challenge.Challenge>, nonce: () => string) {
    this.#issue = issue
    this.#nonce = nonce
  }

  /** Makes a new challenge for a plan. */
  async offer(plan: Plan): Promise<Offers> {
    return { mpp: [Challenge.serialize(await this.#issue(termsOf(plan, this.#nonce())))] }
  }

  /** Returns the content that the challenge of a credential must have to pay for a plan. */
  #expected(plan: Plan, credential: string): ExpectedChallenge {
    const read = readCredential(credential)
    const { amount, scope, meta } = termsOf(plan, read ? nonceOf(read.challenge) : '')
    return { request: { amount }, scope, meta }
  }

  /** Returns why a credential is not valid for a plan, as a term, or `undefined` if it is. */
  async refusal(server: MppServer, plan: Plan, credential: string): Promise<string | undefined> {
    try {
      await server.validateCredential(credential, this.#expected(plan, credential))
      return undefined
    } catch (error) {
      return refusalOf(error)
    }
  }

  /** Returns true if the challenge of a credential was issued here for a plan at its price, even if it has expired. */
  async isOf(plan: Plan, credential: string): Promise<boolean> {
    const challenge = readCredential(credential)?.challenge
    if (challenge?.expires === undefined) return false
    const issued = await this.#issue({ ...termsOf(plan, nonceOf(challenge)), expires: challenge.expires })
    return timingSafeEqual(digestOf(issued), digestOf(challenge))
  }
}
