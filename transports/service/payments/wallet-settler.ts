import { type FacilitatorEvmSigner, toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { encodeFunctionData, type PublicClient } from 'viem'
import { isCertainlyGood } from './certain-payment.ts'
import { NodeReads } from './node-reads.ts'
import { type PaymentOption, payloadFor, tellableReason } from './offer.ts'
import type { SignedPayment } from './payment-header.ts'
import type { Hex } from './payment-settings.ts'
import { type SettlementWallet, TransactionRefused } from './settlement-wallet.ts'
import { type BeforeSending, paymentsUnavailable, type Settlement, type Settler } from './settler.ts'
import type { StartCheck } from './start-check.ts'

/** What happened behind the library's back while it settled one payment. */
interface Trace {
  /** `beforeSending` did not want the transaction to go. */
  unwanted?: unknown
  transaction?: Hex
  /** The node said that it will not take it. */
  refused?: boolean
}

export interface WalletSettlerParts {
  option: PaymentOption
  wallet: SettlementWallet
  client: PublicClient
  /** How long a sent transaction is waited for. */
  confirmTimeoutMs: number
  confirmations: number
  startCheck: StartCheck
}

/** Verifies and settles in this process: the library of the protocol over a node and a wallet of ours. */
export class WalletSettler implements Settler {
  readonly #parts: WalletSettlerParts

  constructor(parts: WalletSettlerParts) {
    this.#parts = parts
  }

  ready(): Promise<void> {
    return this.#parts.startCheck.passed()
  }

  async verify(payment: SignedPayment): Promise<string | undefined> {
    const { option, client } = this.#parts
    const reads = new NodeReads(client)
    const signer = this.#signer(reads, {}, async () => {})
    if (await isCertainlyGood(reads, signer, option, payment)) return undefined
    let verdict: { isValid: boolean; invalidReason?: string | undefined }
    try {
      verdict = await new ExactEvmScheme(signer).verify(payloadFor(option, payment), option)
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
    if (verdict.isValid) return undefined
    // What the library makes of a node that could not be asked is no verdict on the payment.
    if (reads.outage !== undefined) throw paymentsUnavailable(reads.outage)
    return tellableReason(verdict.invalidReason)
  }

  async settle(payment: SignedPayment, beforeSending: BeforeSending): Promise<Settlement> {
    const { option, client } = this.#parts
    const trace: Trace = {}
    const scheme = new ExactEvmScheme(this.#signer(new NodeReads(client), trace, beforeSending))
    const result = await scheme.settle(payloadFor(option, payment), option)
    if (trace.unwanted !== undefined) throw trace.unwanted
    const { transaction } = trace
    if (result.success) return { kind: 'settled', transaction: transaction!, proven: true }
    const reason = tellableReason(result.errorReason)
    if (transaction === undefined || trace.refused) return { kind: 'failed', reason }
    // With a hash in the answer this reason means that the receipt was read, and says "reverted".
    const reverted = reason === 'invalid_exact_evm_transaction_failed' && result.transaction !== ''
    return { kind: reverted ? 'failed' : 'unknown', reason, transaction }
  }

  /** What the library reads and writes the chain with, for one payment. */
  #signer(reads: NodeReads, trace: Trace, beforeSending: BeforeSending): FacilitatorEvmSigner {
    const { client, wallet, confirmTimeoutMs, confirmations } = this.#parts
    const noted: BeforeSending = async transaction => {
      try {
        await beforeSending(transaction)
      } catch (error) {
        trace.unwanted = error
        throw error
      }
      if (transaction !== undefined) trace.transaction = transaction
    }
    return toFacilitatorEvmSigner(
      {
        address: wallet.address,
        readContract: call => reads.call(call),
        // The library starts this and may never look at it; what it missed is among the reads.
        getCode: ({ address }) => reads.codeOf(address).catch(() => undefined),
        verifyTypedData: call => client.verifyTypedData(call as Parameters<typeof client.verifyTypedData>[0]),
        writeContract: async ({ address, abi, functionName, args }) => {
          try {
            return await wallet.send({ to: address, data: encodeFunctionData({ abi, functionName, args }) }, noted)
          } catch (error) {
            trace.refused = error instanceof TransactionRefused
            throw error
          }
        },
        // Only the deployment of a payer's wallet would ask for it, which is not offered.
        sendTransaction: async () => {
          throw new TransactionRefused('only transfers are sent')
        },
        waitForTransactionReceipt: call => client.waitForTransactionReceipt({ ...call, confirmations }),
      },
      { confirmationTimeoutMs: confirmTimeoutMs },
    )
  }
}
