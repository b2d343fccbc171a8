import { type FacilitatorEvmSigner, toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { encodeFunctionData, type PublicClient } from 'viem'
import { isOutage } from './chain.ts'
import { type PaymentOption, payloadFor, tellableReason } from './offer.ts'
import type { SignedPayment } from './payment-header.ts'
import type { Hex } from './payment-settings.ts'
import { type SettlementWallet, TransactionRefused } from './settlement-wallet.ts'
import { type BeforeSending, paymentsUnavailable, type Settlement, type Settler } from './settler.ts'
import type { StartCheck } from './start-check.ts'

/** What happened behind the library's back while it verified or settled one payment. */
interface Trace {
  /** The node could not be asked: what the library makes of that is no verdict on the payment. */
  outage?: unknown
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
    const trace: Trace = {}
    const scheme = new ExactEvmScheme(this.#signer(trace, async () => {}))
    const { option } = this.#parts
    let valid: boolean
    let reason: string | undefined
    try {
      const verdict = await scheme.verify(payloadFor(option, payment), option)
      valid = verdict.isValid
      reason = verdict.invalidReason
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
    if (valid) return undefined
    if (trace.outage !== undefined) throw paymentsUnavailable(trace.outage)
    return tellableReason(reason)
  }

  async settle(payment: SignedPayment, beforeSending: BeforeSending): Promise<Settlement> {
    const trace: Trace = {}
    const scheme = new ExactEvmScheme(this.#signer(trace, beforeSending))
    const { option } = this.#parts
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
  #signer(trace: Trace, beforeSending: BeforeSending): FacilitatorEvmSigner {
    const { client, wallet, confirmTimeoutMs, confirmations } = this.#parts
    const noting = (error: unknown) => {
      if (isOutage(error)) trace.outage ??= error
    }
    async function watched<T>(asked: Promise<T>): Promise<T> {
      try {
        return await asked
      } catch (error) {
        noting(error)
        throw error
      }
    }
    const noted: BeforeSending = async transaction => {
      try {
        await beforeSending(transaction)
      } catch (error) {
        trace.unwanted = error
        throw error
      }
      if (transaction !== undefined) trace.transaction = transaction
    }
    // The library asks for the payer's code twice, one after the other.
    const codes = new Map<Hex, Promise<Hex | undefined>>()
    function codeOf({ address }: { address: Hex }): Promise<Hex | undefined> {
      let code = codes.get(address)
      if (!code) {
        // The library starts this and may never look at it: a rejection would end the process.
        code = client.getCode({ address }).catch((error: unknown) => {
          noting(error)
          return undefined
        })
        codes.set(address, code)
      }
      return code
    }
    return toFacilitatorEvmSigner(
      {
        address: wallet.address,
        readContract: call => watched(client.readContract({ ...call, args: call.args ?? [] })),
        getCode: codeOf,
        verifyTypedData: call => watched(client.verifyTypedData(call as Parameters<typeof client.verifyTypedData>[0])),
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
