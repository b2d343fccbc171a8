import { Errors } from 'mppx'
import { evm, Mppx } from 'mppx/server'
import { z } from 'zod'
import { ServiceError, TOKEN_DECIMALS, wireErrors } from '../../service/index.ts'
import type { Offers, SentPayment } from '../purchases/payment-method.ts'
import type { PaymentReceipts } from '../purchases/purchase.ts'
import type { UsedProofs } from './used-proofs.ts'

/** The token of which a proof transfers $0, and the receiver of that transfer. */
export interface ProofTerms {
  /** The CAIP-2 id of the chain, such as `eip155:8453`. */
  network: string
  /** The contract address of the token. */
  asset: `0x${string}`
  assetName: string
  assetVersion: string
  /** The address that receives the transfer of $0. */
  payTo: `0x${string}`
}

/** How wallets are asked to prove themselves, and where used proofs are kept. */
export interface WalletProofParts {
  terms: ProofTerms
  /** The key that signs challenges; at least 32 bytes. */
  secretKey: string
  /** The name of the service in challenges. */
  realm: string
  /** Where used proofs are stored, such as {@link LevelProofs}. */
  usedProofs: UsedProofs
  /** The current time, epoch ms. */
  now: () => number
}

/** A call that presents a proof, or asks for a challenge. */
export interface ProofCall {
  /** The public address of the call. */
  url: string
  payment: Pick<SentPayment, 'x402' | 'mpp'>
}

export type ProofAnswer =
  | { kind: 'proved'; paymentReceipts: PaymentReceipts }
  /** The challenge that a proof must answer, and why it is needed. */
  | { kind: 'challenge'; error: ServiceError; offers: Offers }

/** Maximum time for which a proof may be valid. A used proof is stored until it expires. */
export const MAX_LIFE_MS = 600_000

/** Reads and writes JSON in base64, as in payment headers. */
const packed = {
  read: (text: string) => JSON.parse(Buffer.from(text, 'base64').toString()),
  write: (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64'),
}

/** Returns the request headers in which mppx expects a payment. */
function headersOf({ x402, mpp }: ProofCall['payment']): Record<string, string> {
  const headers: Record<string, string> = {}
  if (x402 !== undefined) headers['payment-signature'] = packed.write(x402)
  if (mpp !== undefined) headers.authorization = mpp
  return headers
}

/** Returns the receipts in an answer of mppx. */
function receiptsIn({ headers }: Response): PaymentReceipts {
  const x402 = headers.get('payment-response')
  return { x402: x402 === null ? undefined : packed.read(x402), mpp: headers.get('payment-receipt') ?? undefined }
}

/** Returns the offers in an answer of mppx. The offer of x402 gets asof's `error` in place of mppx's text. */
function offersIn({ headers }: Response): Offers {
  const challenge = headers.get('www-authenticate')
  return {
    x402: { ...packed.read(headers.get('payment-required') ?? ''), error: wireErrors.payment_required.error },
    mpp: challenge === null ? [] : [challenge],
  }
}

/** The field of a problem document that asof reads. */
const problem = z.object({ detail: z.string() })

/** The message for a proof whose header is malformed. mppx has no message for callers in this case. */
const MALFORMED = 'The proof is malformed.'

/**
 * Lets callers prove that they have a wallet: a wallet signs a transfer of $0, which is verified and never sent to a chain.
 * Each proof is accepted once, at most ten minutes after it was signed. A wallet that is a contract can't prove itself, because
 * only a chain can verify its signature.
 */
export class WalletProof {
  readonly #parts: WalletProofParts

  constructor(parts: WalletProofParts) {
    this.#parts = parts
  }

  /**
   * Checks the proof of a call, and uses it.
   *
   * @throws ServiceError advisor_unavailable - too many used proofs are stored.
   * @throws ASOF_STORE_WRITE
   */
  async check({ url, payment }: ProofCall): Promise<ProofAnswer> {
    const headers = headersOf(payment)
    let failure: unknown
    const useOnce: UseProof = async (proof, expiresAt) => {
      try {
        await this.#useOnce(proof, expiresAt)
      } catch (error) {
        // mppx turns every error into a challenge, which is right only for a bad proof. Any other error is kept, and thrown
        // below.
        if (!(error instanceof Errors.VerificationFailedError)) failure = error
        throw error
      }
    }
    const answer = await this.#answer(useOnce, url, headers).catch((error: unknown) => {
      if (Object.keys(headers).length === 0) throw error
      return this.#answer(useOnce, url, {}, MALFORMED)
    })
    if (failure !== undefined) throw failure
    return answer
  }

  /** @param why - the message of the challenge. Default: the library's. */
  async #answer(useOnce: UseProof, url: string, headers: Record<string, string>, why?: string): Promise<ProofAnswer> {
    const charge = mppServer(this.#parts, useOnce).evm.charge({ amount: '0', description: 'Proof of a wallet' })
    const result = await charge(new Request(url, { method: 'POST', headers }))
    if (result.status !== 402)
      return { kind: 'proved', paymentReceipts: receiptsIn(result.withReceipt(new Response())) }
    const { detail } = problem.parse(await result.challenge.json())
    // mppx answers with this text if it can't read a header.
    const isUnread = Object.keys(headers).length > 0 && /^An internal payment error/.test(detail)
    const message = why ?? (isUnread ? MALFORMED : detail)
    const error = new ServiceError('payment_required', message)
    return { kind: 'challenge', error, offers: offersIn(result.challenge) }
  }

  async #useOnce(proof: string, expiresAt: number): Promise<void> {
    const { usedProofs, now } = this.#parts
    if (!(expiresAt <= now() + MAX_LIFE_MS)) {
      throw new Errors.VerificationFailedError({ reason: 'the proof must not be valid for more than 10 minutes' })
    }
    const use = await usedProofs.use(proof, expiresAt)
    if (use === 'repeated') throw new Errors.VerificationFailedError({ reason: 'the proof was used before' })
    if (use === 'full') {
      const text = 'Too many proofs were presented lately. Try again later.'
      throw new ServiceError('advisor_unavailable', text, { retryAfterSeconds: 60 })
    }
  }
}

/** Uses a proof. @param expiresAt - epoch ms. */
type UseProof = (proof: string, expiresAt: number) => Promise<void>

function mppServer({ terms, secretKey, realm }: WalletProofParts, useOnce: UseProof) {
  const charge = evm.charge({
    currency: terms.asset,
    chainId: Number(terms.network.split(':')[1]),
    decimals: TOKEN_DECIMALS,
    authorization: { name: terms.assetName, version: terms.assetVersion },
    recipient: terms.payTo,
    // The library calls this with a verified proof, to settle it.
    settle: async ({ payload: { from, nonce, validBefore } }) => {
      await useOnce(`${from}:${nonce}`.toLowerCase(), Number(validBefore) * 1_000)
      return { reference: `proof:${nonce}` }
    },
  })
  return Mppx.create({ realm, secretKey, methods: [charge] })
}
