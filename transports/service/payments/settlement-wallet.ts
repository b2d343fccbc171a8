import PQueue from 'p-queue'
import { createWalletClient, http, keccak256, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { isOutage } from './chain.ts'
import { PaymentProblem } from './payment-problem.ts'
import type { Hex, WalletSettings } from './payment-settings.ts'
import type { BeforeSending } from './settler.ts'

/** What a settlement costs at most; a contract wallet could otherwise burn what its check of a signature likes. */
const MAX_GAS = 300_000n
/** What one costs as a rule, with some air. */
const USUAL_GAS = 120_000n

/** A transaction that the node said it will not take. */
export class TransactionRefused extends PaymentProblem {}

function says(error: unknown, pattern: RegExp): boolean {
  return error instanceof Error && (pattern.test(error.message) || says(error.cause, pattern))
}

/**
 * The account that pays for gas. It sends one transaction at a time, and gives a number only to one that was found to
 * succeed: a number that is given and never used would hold up all that come after it.
 */
export class SettlementWallet {
  readonly #client
  readonly #account
  readonly #chainId: number
  readonly #maxFeePerGas: bigint
  /** Sends one transaction at a time. */
  readonly #sending = new PQueue({ concurrency: 1 })
  #next: number | undefined

  constructor(rpcUrl: string, chainId: number, { privateKey, maxFeePerGas }: WalletSettings) {
    this.#account = privateKeyToAccount(privateKey)
    this.#client = createWalletClient({
      account: this.#account,
      transport: http(rpcUrl, { retryCount: 1, timeout: 5_000 }),
    }).extend(publicActions)
    this.#chainId = chainId
    this.#maxFeePerGas = maxFeePerGas
  }

  get address(): Hex {
    return this.#account.address
  }

  /** Why it can't settle now: no gas to pay with, or too dear a chain. */
  async problem(): Promise<string | undefined> {
    const [balance, { maxFeePerGas }] = await Promise.all([
      this.#client.getBalance({ address: this.address }),
      this.#fees(),
    ])
    if (maxFeePerGas > this.#maxFeePerGas)
      return `gas costs ${maxFeePerGas} wei, over the limit of ${this.#maxFeePerGas}`
    const settlements = balance / (maxFeePerGas * USUAL_GAS || 1n)
    return settlements < 1n ? `the settling account ${this.address} has no gas left` : undefined
  }

  /**
   * Sends a call once it was found to succeed.
   *
   * @param beforeSending - see `Settler.settle`; called again when the transaction had to be made anew.
   * @returns the transaction's hash. The transaction may not be in a block yet.
   * @throws TransactionRefused - nothing was sent. What viem throws - before `beforeSending` nothing was sent, after
   *   it nobody knows.
   */
  async send(call: { to: Hex; data: Hex }, beforeSending: BeforeSending): Promise<Hex> {
    // What would fail fails here, before it has a number.
    const [gas, fees] = await Promise.all([this.#client.estimateGas({ account: this.#account, ...call }), this.#fees()])
    if (gas > MAX_GAS) throw new TransactionRefused(`the transfer would take ${gas} gas, over ${MAX_GAS}`)
    if (fees.maxFeePerGas > this.#maxFeePerGas) throw new TransactionRefused('gas costs more than the limit')
    return await this.#sending.add(async () => {
      for (let again = false; ; again = true) {
        try {
          return await this.#sendOnce({ ...call, ...fees, gas: gas + gas / 5n }, beforeSending)
        } catch (error) {
          this.#next = undefined
          // Another process with the same key, or a node that restarted: the number was wrong, nothing else.
          if (!again && says(error, /nonce too low|replacement transaction underpriced/i)) continue
          throw error
        }
      }
    })
  }

  async #sendOnce(
    call: { to: Hex; data: Hex; gas: bigint; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint },
    beforeSending: BeforeSending,
  ): Promise<Hex> {
    const nonce = this.#next ?? (await this.#client.getTransactionCount({ address: this.address, blockTag: 'pending' }))
    const serializedTransaction = await this.#account.signTransaction({
      type: 'eip1559',
      chainId: this.#chainId,
      nonce,
      ...call,
    })
    const hash = keccak256(serializedTransaction)
    await beforeSending(hash)
    try {
      await this.#client.sendRawTransaction({ serializedTransaction })
    } catch (error) {
      // A first try whose answer was lost had arrived.
      if (!says(error, /already known|already imported/i)) {
        if (isOutage(error)) throw error
        throw new TransactionRefused('the node refused the transaction', { cause: error })
      }
    }
    this.#next = nonce + 1
    return hash
  }

  #fees(): Promise<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }> {
    return this.#client.estimateFeesPerGas()
  }
}
