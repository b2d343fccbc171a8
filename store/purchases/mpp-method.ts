import { Receipt } from 'mppx'
import { evm, Mppx } from 'mppx/server'
import { z } from 'zod'
import type { Plan } from '../../service/accounts/index.ts'
import { TOKEN_DECIMALS } from '../../service/index.ts'
import type { Payments } from '../payments/index.ts'
import type {
  LookUpOutcome,
  MethodOutcome,
  Offers,
  PaymentMethod,
  Proof,
  SentPayment,
  SettleOptions,
} from './payment-method.ts'
import { PlanChallenges, readCredential } from './plan-challenges.ts'
import type { OpenPurchase } from './purchase.ts'
import { PlanTransfers, transferId } from './x402-method.ts'

/** The settings of MPP challenges. */
export interface MppSettings {
  /** The key that signs challenges; at least 32 bytes. */
  secretKey: string
  /** The name of this service, which its challenges state. */
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

function mppServer({ secretKey, realm }: MppSettings, { calls: { option } }: Payments) {
  // The network has the form `eip155:<id>`, since `openPayments` accepts no other.
  const chainId = Number(option.network.split(':')[1])
  const charge = evm.charge({
    currency: option.asset,
    chainId,
    decimals: TOKEN_DECIMALS,
    authorization: option.extra,
    recipient: option.payTo,
    // mppx only verifies, and never settles: `Payments` do.
    settle: async () => {
      throw new TypeError('the library must not settle')
    },
  })
  return Mppx.create({ realm, secretKey, requiresAuth: true, methods: [charge] })
}

/** Buys plans by MPP with the method `evm`: a signed transfer, bound to a challenge for one plan. */
export class MppMethod implements PaymentMethod {
  readonly name = 'mpp'
  readonly #payments: Payments
  readonly #transfers: PlanTransfers
  readonly #server: ReturnType<typeof mppServer>
  readonly #challenges: PlanChallenges

  /** @param nonce - see {@link PlanChallenges}. */
  constructor(payments: Payments, settings: MppSettings, nonce: () => string) {
    this.#payments = payments
    this.#transfers = new PlanTransfers(payments, this.name)
    const server = mppServer(settings, payments)
    this.#server = server
    this.#challenges = new PlanChallenges(terms => server.challenge.evm.charge(terms), nonce)
  }

  proofIn({ mpp }: SentPayment): Proof | undefined {
    if (mpp === undefined) return undefined
    const read = readCredential(mpp)
    if (read && read.challenge.method !== 'evm') return undefined
    const { data } = transfer.safeParse(read?.payload)
    return { id: data ? transferId(data) : '', payment: mpp }
  }

  async offer(plan: Plan): Promise<Offers> {
    await this.#payments.ready()
    return await this.#challenges.offer(plan)
  }

  takes(): boolean {
    return true
  }

  async check(plan: Plan, proof: Proof): Promise<string | undefined> {
    return await this.#challenges.refusal(this.#server, plan, String(proof.payment))
  }

  async settle(purchase: OpenPurchase, options: SettleOptions): Promise<MethodOutcome> {
    const payment = await this.#transferIn(purchase)
    if (!payment) {
      // The challenge is not valid now, but an earlier call may have sent the transfer before the secret of the challenges
      // changed.
      return options.isRepeated
        ? { kind: 'undecided', paymentReceipts: {} }
        : { kind: 'refused', reason: 'invalid_challenge' }
    }
    return withReceipt(await this.#transfers.settle(purchase, options, payment))
  }

  async lookUp(purchase: OpenPurchase, granted: Promise<boolean>): Promise<LookUpOutcome> {
    const payment = await this.#transferIn(purchase)
    return withReceipt(await this.#transfers.lookUp(purchase, granted, payment))
  }

  /** Returns the transfer in the credential of a purchase as a payment of x402; undefined if its challenge is not of this server and plan. */
  async #transferIn({ plan, payment }: OpenPurchase): Promise<object | undefined> {
    const credential = String(payment)
    if (!(await this.#challenges.isOf(plan, credential))) return undefined
    const { signature, ...authorization } = transfer.parse(readCredential(credential)?.payload)
    return { x402Version: 2, accepted: this.#transfers.at(plan).option, payload: { signature, authorization } }
  }

  isUnderWay(purchase: OpenPurchase): Promise<boolean> {
    return this.#transfers.isUnderWay(purchase)
  }
}

/** Adds the receipt of MPP to a settled payment. */
function withReceipt<Outcome extends MethodOutcome | LookUpOutcome>(outcome: Outcome): Outcome {
  if (outcome.kind !== 'settled') return outcome
  const mpp = Receipt.serialize({
    method: 'evm',
    status: 'success',
    reference: outcome.reference,
    timestamp: new Date().toISOString(),
  })
  return { ...outcome, paymentReceipts: { ...outcome.paymentReceipts, mpp } }
}
