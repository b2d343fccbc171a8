import { Errors } from 'mppx'
import { evm, Mppx } from 'mppx/server'
import { z } from 'zod'
import { ServiceError, wireErrors } from '../../contract/errors.ts'
import { TOKEN_DECIMALS } from '../../contract/money.ts'
import type { Offers, Receipts, SentPayment } from '../purchases/payment-method.ts'
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
  payment: Pick<SentPayment, 'x402' | 'mpp'>
}

export type ProofAnswer =
  | { kind: 'proved'; receipts: Receipts }
  /** A challenge to sign a proof, and why. */
  | { kind: 'challenge'; error: ServiceError; offers: Offers }

/** A proof that is valid for longer would have to be remembered for longer. */
export const MAX_LIFE_MS = 600_000

/** What the library sends and reads: JSON in base64. */
const packed = {
  read: (text: string) => JSON.parse(Buffer.from(text, 'base64').toString()),
  write: (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64'),
}

/** Writes a payment as the library reads it. */
function headersOf({ x402, mpp }: ProofCall['payment']): Record<string, string> {
  return {
    ...(x402 !== undefined && { 'payment-signature': packed.write(x402) }),
    ...(mpp !== undefined && { authorization: mpp }),
  }
}

/** The receipts in an answer of the library. */
function receiptsIn({ headers }: Response): Receipts {
  const x402 = headers.get('payment-response')
  return { x402: x402 === null ? undefined : packed.read(x402), mpp: headers.get('payment-receipt') ?? undefined }
}

/** The offers in an answer of the library. Their `error` is that of our answer, instead of a text of the library. */
function offersIn({ headers }: Response): Offers {
  const challenge = headers.get('www-authenticate')
  return {
    x402: { ...packed.read(headers.get('payment-required') ?? ''), error: wireErrors.payment_required.error },
    mpp: challenge === null ? [] : [challenge],
  }
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
  async check({ url, payment }: ProofCall): Promise<ProofAnswer> {
    const headers = headersOf(payment)
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
    if (result.status !== 402) return { kind: 'proved', receipts: receiptsIn(result.withReceipt(new Response())) }
    const { detail } = problem.parse(await result.challenge.json())
    // The library says so of a header that it can't read.
    const isUnread = Object.keys(headers).length > 0 && /^An internal payment error/.test(detail)
    const message = why ?? (isUnread ? MALFORMED : detail)
    const error = new ServiceError('payment_required', message)
    return { kind: 'challenge', error, offers: offersIn(result.challenge) }
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
