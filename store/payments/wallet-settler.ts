import { type FacilitatorEvmSigner, toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import { encodeFunctionData, type PublicClient } from 'viem'
import { type PaymentOption, payloadFor, publicReason, type SignedPayment } from './offer.ts'
import type { Hex } from './payment-settings.ts'
import type { SettlementWallet } from './settlement-wallet.ts'
import {
  type BeforeSending,
  PaymentProblem,
  paymentsUnavailable,
  type SettlementOutcome,
  type Settler,
} from './settler.ts'
import { isCertainlyValid, NodeReads } from './verification.ts'

/** Facts about one settlement that the library's result does not contain. */
interface Trace {
  /** The error with which `beforeSending` rejected. */
  prevented?: unknown
  /** The hash of the transaction that was sent, or may have been. */
  transaction?: Hex
}

export interface WalletSettlerParts {
  option: PaymentOption
  chainId: number
  wallet: SettlementWallet
  client: PublicClient
  /** Time limit for a transaction to be confirmed. */
  confirmTimeoutMs: number
  confirmations: number
}

/** Verifies and settles payments in this process, with the protocol's library, a node and a wallet of the operator. */
export class WalletSettler implements Settler {
  readonly #parts: WalletSettlerParts

  constructor(parts: WalletSettlerParts) {
    this.#parts = parts
  }

  async checkReady(): Promise<void> {
    const problem = await this.#parts.wallet.problem()
    if (problem !== undefined) throw new PaymentProblem(problem)
  }

  async verify(payment: SignedPayment): Promise<string | undefined> {
    const { option, chainId, client } = this.#parts
    const reads = new NodeReads(client)
    const signer = this.#signer(reads, {}, async () => {})
    const domain = { ...option.extra, chainId, verifyingContract: option.asset }
    if (await isCertainlyValid(reads, signer, { option, domain }, payment)) return undefined
    let verdict: { isValid: boolean; invalidReason?: string | undefined }
    try {
      verdict = await new ExactEvmScheme(signer).verify(payloadFor(option, payment), option)
    } catch (cause) {
      throw paymentsUnavailable(cause)
    }
    if (verdict.isValid) return undefined
    // The library reports a payment as invalid also if the node was not available.
    if (reads.outage !== undefined) throw paymentsUnavailable(reads.outage)
    return publicReason(verdict.invalidReason)
  }

  async settle(payment: SignedPayment, beforeSending: BeforeSending): Promise<SettlementOutcome> {
    const { option, client } = this.#parts
    const trace: Trace = {}
    const scheme = new ExactEvmScheme(this.#signer(new NodeReads(client), trace, beforeSending))
    const result = await scheme.settle(payloadFor(option, payment), option)
    if (trace.prevented !== undefined) throw trace.prevented
    const { transaction } = trace
    if (result.success) return { kind: 'settled', transaction: transaction ?? (result.transaction as Hex) }
    const reason = publicReason(result.errorReason)
    if (transaction === undefined) {
      // Nothing was sent here. If the authorization was used, somebody else has sent the transfer.
      return { kind: reason === 'invalid_exact_evm_nonce_already_used' ? 'undecided' : 'failed', reason }
    }
    // If the result names a transaction, the library uses this reason only after it read a receipt with the status
    // "reverted".
    const reverted = reason === 'invalid_exact_evm_transaction_failed' && result.transaction !== ''
    return { kind: reverted ? 'failed' : 'undecided', reason, transaction }
  }

  /** Creates the object through which the library reads and writes the chain, for one payment. */
  #signer(reads: NodeReads, trace: Trace, beforeSending: BeforeSending): FacilitatorEvmSigner {
    const { client, wallet, confirmTimeoutMs, confirmations } = this.#parts
    const noted: BeforeSending = async transaction => {
      try {
        await beforeSending(transaction)
      } catch (error) {
        trace.prevented = error
        throw error
      }
      if (transaction !== undefined) trace.transaction = transaction
    }
    return toFacilitatorEvmSigner(
      {
        address: wallet.address,
        readContract: call => reads.call(call),
        // The library may ignore this promise, so it must not reject. `reads` records the failure.
        getCode: ({ address }) => reads.codeOf(address).catch(() => undefined),
        verifyTypedData: call => client.verifyTypedData(call as Parameters<typeof client.verifyTypedData>[0]),
        writeContract: ({ address, abi, functionName, args }) =>
          wallet.send({ to: address, data: encodeFunctionData({ abi, functionName, args }) }, noted),
        // The library calls this only to deploy a payer's wallet, which is not supported.
        sendTransaction: async () => {
          throw new PaymentProblem('only transfers are sent')
        },
        waitForTransactionReceipt: call => client.waitForTransactionReceipt({ ...call, confirmations }),
      },
      { confirmationTimeoutMs: confirmTimeoutMs },
    )
  }
}
