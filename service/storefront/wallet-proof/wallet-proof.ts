import { Errors } from 'mppx'
import { evm, Mppx } from 'mppx/server'
import { z } from 'zod'
import { ServiceError, wireErrors } from '../../contract/errors.ts'
import type { ProofClaims } from './proof-claims.ts'

/** The token of a proof, and the address that it names as the receiver of nothing. */
export interface ProofTerms {
  /** CAIP-2, such as `eip155:8453`. */
  network: string
  asset: `0x${string}`
  assetName: string
  assetVersion: string
  payTo: `0x${string}`
}

export interface WalletProofParts {
  terms: ProofTerms
  /** With it challenges are signed; at least 32 bytes. */
  secretKey: string
  /** The name of the service in challenges. */
  realm: string
  claims: ProofClaims
  /** The current time, epoch ms. */
  now: () => number
}

/** A call that presents a proof, or none. */
export interface ProofCall {
  /** The public address of the call. */
  url: string
  /** The `PAYMENT-SIGNATURE` header (x402). */
  signature?: string
  /** The `Payment-Authorization` header, or an `Authorization` header with the scheme `Payment` (MPP). */
  credential?: string
}

export type ProofAnswer =
  | { kind: 'proved'; headers: Record<string, string> }
  /** `error` is sent to the caller, and `headers` are the challenge. */
  | { kind: 'challenge'; error: ServiceError; headers: Record<string, string> }

const TOKEN_DECIMALS = 6
/** A proof that is valid for longer would have to be remembered for longer. */
export const MAX_LIFE_MS = 600_000

/** The headers of a challenge or a receipt. */
const passedOn = ['payment-required', 'www-authenticate', 'payment-receipt', 'payment-response']

function headersOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => passedOn.includes(name)))
}

/** The headers of a challenge, with the `error` of its answer in the offer of x402, instead of a text of the library. */
function challengeHeaders(challenge: Response): Record<string, string> {
  const { 'payment-required': offer = '', ...others } = headersOf(challenge)
  const read = z.looseObject({}).parse(JSON.parse(Buffer.from(offer, 'base64').toString()))
  const named = JSON.stringify({ ...read, error: wireErrors.payment_required.error })
  return { ...others, 'payment-required': Buffer.from(named).toString('base64') }
}

/** The part of a problem document that says what is wrong. */
const problem = z.object({ detail: z.string() })

/** Why a proof that was presented is not accepted. The library throws plain errors for malformed headers. */
const MALFORMED = 'The proof is malformed.'

/**
 * Lets callers prove that they have a wallet: a wallet signs a transfer of $0, which is verified and never sent to a chain.
 * Each proof is accepted once, at most ten minutes after it was signed. Wallets that are contracts can't prove themselves,
 * because that takes a chain.
 */
export class WalletProof {
  readonly #parts: WalletProofParts

  constructor(parts: WalletProofParts) {
    this.#parts = parts
  }

  /**
   * Checks the proof of a call, and uses it up.
   *
   * @throws ServiceError advisor_unavailable - too many proofs are remembered at the moment.
   * @throws ASOF_STORE_WRITE
   */
  async check({ url, signature, credential }: ProofCall): Promise<ProofAnswer> {
    const headers: Record<string, string> = {
      ...(signature !== undefined && { 'payment-signature': signature }),
      ...(credential !== undefined && { authorization: credential }),
    }
    let failure: unknown
    const claim: Claim = async (proof, expiresAt) => {
      try {
        await this.#claim(proof, expiresAt)
      } catch (error) {
        // The library answers any other error like a proof that is not valid.
        if (!(error instanceof Errors.VerificationFailedError)) failure = error
        throw error
      }
    }
    const answer = await this.#answer(claim, url, headers).catch((error: unknown) => {
      if (Object.keys(headers).length === 0) throw error
      return this.#answer(claim, url, {}, MALFORMED)
    })
    if (failure !== undefined) throw failure
    return answer
  }

  /** @param why - the reason why an earlier proof was not accepted. Default: what the library says. */
  async #answer(claim: Claim, url: string, headers: Record<string, string>, why?: string): Promise<ProofAnswer> {
    const charge = shopOf(this.#parts, claim).evm.charge({ amount: '0', description: 'Proof of a wallet' })
    const result = await charge(new Request(url, { method: 'POST', headers }))
    if (result.status !== 402) return { kind: 'proved', headers: headersOf(result.withReceipt(new Response())) }
    const { detail } = problem.parse(await result.challenge.json())
    // The library says so of a header that it can't read.
    const isUnread = Object.keys(headers).length > 0 && /^An internal payment error/.test(detail)
    const message = why ?? (isUnread ? MALFORMED : detail)
    const type = 'https://paymentauth.org/problems/payment-required'
    const facts = { type, title: 'Proof of a wallet required', status: 402, detail: message }
    const error = new ServiceError('payment_required', message, { facts })
    return { kind: 'challenge', error, headers: challengeHeaders(result.challenge) }
  }

  async #claim(proof: string, expiresAt: number): Promise<void> {
    const { claims, now } = this.#parts
    if (!(expiresAt <= now() + MAX_LIFE_MS)) {
      throw new Errors.VerificationFailedError({ reason: 'the proof must not be valid for more than 10 minutes' })
    }
    const claimed = await claims.claim(proof, expiresAt)
    if (claimed === 'used') throw new Errors.VerificationFailedError({ reason: 'the proof was used before' })
    if (claimed === 'full') {
      const text = 'Too many proofs were presented lately. Try again later.'
      throw new ServiceError('advisor_unavailable', text, { retryAfterSeconds: 60 })
    }
  }
}

/** Uses up a proof. @param expiresAt - epoch ms. */
type Claim = (proof: string, expiresAt: number) => Promise<void>

function shopOf({ terms, secretKey, realm }: WalletProofParts, claim: Claim) {
  const charge = evm.charge({
    currency: terms.asset,
    chainId: Number(terms.network.split(':')[1]),
    decimals: TOKEN_DECIMALS,
    authorization: { name: terms.assetName, version: terms.assetVersion },
    recipient: terms.payTo,
    // Called with a verified proof, instead of a settlement.
    settle: async ({ payload: { from, nonce, validBefore } }) => {
      await claim(`${from}:${nonce}`.toLowerCase(), Number(validBefore) * 1_000)
      return { reference: `proof:${nonce}` }
    },
  })
  return Mppx.create({ realm, secretKey, methods: [charge] })
}
