import { isError } from '@asof/extract/errors'
import PQueue from 'p-queue'
import { createWalletClient, http, keccak256, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { PaymentLedger } from './payment-ledger.ts'
import type { Hex, WalletSettings } from './payment-settings.ts'
import { type BeforeSending, PaymentProblem } from './settler.ts'

/** Maximum gas of one settlement. Without a limit, the signature check of a contract wallet could use any amount. */
const MAX_GAS = 300_000n
/** Typical gas of one settlement, with some margin. */
const USUAL_GAS = 120_000n

/** Returns true if the message of an error or of one of its causes matches. */
function messageMatches(error: unknown, pattern: RegExp): boolean {
  return isError(error) && (pattern.test(error.message) || messageMatches(error.cause, pattern))
}

/**
 * The account that sends settlements and pays for gas. It sends one transaction at a time. It assigns a nonce only after the
 * simulation of a transaction has succeeded, because an assigned nonce that is never used would block all later transactions.
 */
export class SettlementWallet {
  readonly #client
  readonly #account
  readonly #chainId: number
  readonly #maxFeePerGas: bigint
  /** Sends one transaction at a time. */
  readonly #sending = new PQueue({ concurrency: 1 })
  /** Undefined if the node must be asked, as always if other servers use the wallet. */
  #nextNonce: number | undefined
  readonly #sendAlone: PaymentLedger['sendAlone']

  /**
   * @param sendAlone - runs the sending of one transaction while no other server runs one. Default: no other server uses the wallet.
   */
  constructor(
    rpcUrl: string,
    chainId: number,
    { privateKey, maxFeePerGas }: WalletSettings,
    sendAlone?: PaymentLedger['sendAlone'],
  ) {
    this.#sendAlone = sendAlone
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

  /**
   * Returns why the wallet can't settle now: its balance is too low, or gas is too expensive. Returns `undefined` if it can.
   */
  async problem(): Promise<string | undefined> {
    const [balance, { maxFeePerGas }] = await Promise.all([
      this.#client.getBalance({ address: this.address }),
      this.#fees(),
    ])
    if (maxFeePerGas > this.#maxFeePerGas)
      return `gas costs ${maxFeePerGas} wei, more than the limit of ${this.#maxFeePerGas} wei`
    const settlements = balance / (maxFeePerGas * USUAL_GAS || 1n)
    return settlements < 1n ? `the settling account ${this.address} has no gas left` : undefined
  }

  /**
   * Sends a contract call if a simulation of it succeeds.
   *
   * @param beforeSending - see {@link BeforeSending}. It is called again if the transaction had to be signed again.
   * @returns the hash of the transaction, which may not be in a block yet.
   * @throws PaymentProblem - gas costs more than the limits. Nothing was sent.
   * @throws viem's error - if `beforeSending` was not called, nothing was sent. Otherwise the transaction may have been sent,
   *   even if the node answered with an error: the request is repeated once if an answer is lost.
   */
  async send(call: { to: Hex; data: Hex }, beforeSending: BeforeSending): Promise<Hex> {
    // A call that would fail throws here, before it gets a nonce.
    const [gas, fees] = await Promise.all([this.#client.estimateGas({ account: this.#account, ...call }), this.#fees()])
    if (gas > MAX_GAS) throw new PaymentProblem(`the transfer would use ${gas} gas, more than the limit of ${MAX_GAS}`)
    if (fees.maxFeePerGas > this.#maxFeePerGas) throw new PaymentProblem('gas costs more than the limit')
    return await this.#sending.add(async () => {
      for (let again = false; ; again = true) {
        try {
          const sendOnce = () => this.#sendOnce({ ...call, ...fees, gas: gas + gas / 5n }, beforeSending)
          return await (this.#sendAlone ? this.#sendAlone(sendOnce) : sendOnce())
        } catch (error) {
          this.#nextNonce = undefined
          // The nonce was wrong, because another process uses the same key or the node restarted. Nothing else is wrong, so try
          // once more.
          if (!again && messageMatches(error, /nonce too low|replacement transaction underpriced/i)) continue
          throw error
        }
      }
    })
  }

  async #sendOnce(
    call: { to: Hex; data: Hex; gas: bigint; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint },
    beforeSending: BeforeSending,
  ): Promise<Hex> {
    const nonce =
      this.#nextNonce ?? (await this.#client.getTransactionCount({ address: this.address, blockTag: 'pending' }))
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
      // viem repeats a request whose answer was lost. The node then has the transaction already.
      if (!messageMatches(error, /already known|already imported/i)) throw error
    }
    if (!this.#sendAlone) this.#nextNonce = nonce + 1
    return hash
  }

  #fees(): Promise<{ maxFeePerGas: bigint; maxPriorityFeePerGas: bigint }> {
    return this.#client.estimateFeesPerGas()
  }
}
