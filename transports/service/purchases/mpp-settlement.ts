import { Challenge, Receipt } from 'mppx'
import { evm, Mppx } from 'mppx/server'
import { z } from 'zod'
import type { Plan } from '../accounts/index.ts'
import type { Payments } from '../payments/index.ts'
import { readCredential, refusalOf, scopeOf } from './mpp-credential.ts'
import type {
  EarlierSale,
  HeaderLines,
  Outcome,
  PaymentHeaders,
  Proof,
  Sale,
  Settled,
  Settlement,
} from './settlement.ts'
import { TOKEN_DECIMALS, tokenAmount } from './token-amount.ts'
import { settleTransfer, toHeader, transferId, transferOutcome } from './transfer-sale.ts'

/** How challenges are signed. */
export interface MppSettings {
  /** At least 32 bytes. */
  secretKey: string
  /** The name of this service in its challenges. */
  realm: string
}

const hex = (digits: number) => z.string().regex(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`))

/** The proof of payment of the method `evm`: a signed transfer. Its fields are checked when it is settled. */
const transfer = z.object({
  from: hex(40),
  to: z.string(),
  value: z.string(),
  validAfter: z.string(),
  validBefore: z.string(),
  nonce: hex(64),
  signature: z.string(),
})

function shopOf({ secretKey, realm }: MppSettings, { option }: Payments) {
  // Payments start only on a chain with a name of the form `eip155:<id>`.
  const chainId = Number(option.network.split(':')[1])
  const charge = evm.charge({
    currency: option.asset,
    chainId,
    decimals: TOKEN_DECIMALS,
    authorization: option.extra,
    recipient: option.payTo,
    // The library only verifies. Transfers are settled with those of x402.
    settle: async () => {
      throw new TypeError('the library must not settle')
    },
  })
  return Mppx.create({ realm, secretKey, requiresAuth: true, methods: [charge] })
}

/** Buys plans by MPP with the method `evm`: a signed transfer, bound to a challenge for one plan. */
export class MppSettlement implements Settlement {
  readonly method = 'mpp'
  readonly #payments: Payments
  readonly #shop: ReturnType<typeof shopOf>

  constructor(payments: Payments, settings: MppSettings) {
    this.#payments = payments
    this.#shop = shopOf(settings, payments)
  }

  proofIn({ credential }: PaymentHeaders): Proof | undefined {
    if (credential === undefined) return undefined
    const read = readCredential(credential)
    if (read && read.challenge.method !== 'evm') return undefined
    const { data } = transfer.safeParse(read?.payload)
    return { id: data ? transferId(data) : '', header: credential }
  }

  async offer(plan: Plan): Promise<HeaderLines> {
    await this.#payments.ready()
    const challenge = await this.#shop.challenge.evm.charge({
      amount: plan.price_usd,
      description: plan.title,
      scope: scopeOf(plan),
    })
    return { 'www-authenticate': Challenge.serialize(challenge) }
  }

  takes(): boolean {
    return true
  }

  async settle(sale: Sale): Promise<Settled> {
    const { plan, proof, isRepeated } = sale
    // A repeated proof was verified by the first call, and its challenge may have expired since.
    if (!isRepeated) {
      try {
        const request = { amount: plan.price_usd }
        await this.#shop.validateCredential(proof.header, { request, scope: scopeOf(plan) })
      } catch (error) {
        return { kind: 'refused', reason: refusalOf(error) }
      }
    }
    const { signature, ...authorization } = transfer.parse(readCredential(proof.header)?.payload)
    const accepted = this.#payments.at(tokenAmount(plan.price_usd)).option
    const header = toHeader({ x402Version: 2, accepted, payload: { signature, authorization } })
    return withReceipt(await settleTransfer(this.#payments, this.method, sale, header))
  }

  async outcomeOf(sale: EarlierSale, granted: Promise<boolean>): Promise<Outcome> {
    return withReceipt(await transferOutcome(this.#payments, this.method, sale, granted))
  }
}

/** Adds the receipt of MPP to a settled payment. */
function withReceipt<Result extends Settled | Outcome>(result: Result): Result {
  if (result.kind !== 'settled') return result
  const receipt = Receipt.serialize({
    ...{ method: 'evm', status: 'success', reference: result.reference },
    timestamp: new Date().toISOString(),
  })
  return { ...result, headers: { ...result.headers, 'payment-receipt': receipt } }
}
