import {
  createPublicClient,
  HttpRequestError,
  http,
  isAddressEqual,
  LimitExceededRpcError,
  type Log,
  type PublicClient,
  parseEventLogs,
  ResourceUnavailableRpcError,
  TimeoutError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { eip3009 } from './eip3009.ts'
import type { PaymentRecord } from './payment-record.ts'
import { chainIdOf, type Hex, type PaymentTerms } from './payment-settings.ts'

/** The transfer whose fate is asked for. */
export type Transfer = Pick<
  PaymentRecord,
  'asset' | 'payer' | 'payTo' | 'amount' | 'nonce' | 'validBefore' | 'sinceBlock' | 'transaction'
>

/** What the chain says of a signed transfer. */
export type Fate =
  /** It is on the chain. */
  | { kind: 'paid'; transaction: Hex }
  /** The authorization was cancelled, or used for another transfer than ours. */
  | { kind: 'spent' }
  /** It can't be carried out any more. */
  | { kind: 'expired' }
  /** It can still be carried out. */
  | { kind: 'unused' }

const REQUEST_MS = 5_000
const POLL_MS = 250
/** What nodes commonly let one ask for at a time. */
const BLOCKS_AT_A_TIME = 2_000n
const MAX_WINDOWS = 100
/** After its time a transfer is given this long before it counts as impossible: clocks of blocks are not exact. */
const EXPIRED_SECONDS = 60n

/** A client of the node at an address. */
export function clientOf(rpcUrl: string): PublicClient {
  return createPublicClient({
    transport: http(rpcUrl, { retryCount: 1, timeout: REQUEST_MS }),
    pollingInterval: POLL_MS,
    cacheTime: POLL_MS,
    // A contract, such as a payer's wallet, could name addresses that this process would then fetch from.
    ccipRead: false,
  })
}

/** Whether an error says that the node could not be asked, rather than what it answered. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (
    error instanceof HttpRequestError ||
    error instanceof TimeoutError ||
    error instanceof LimitExceededRpcError ||
    error instanceof ResourceUnavailableRpcError
  ) {
    return true
  }
  return isOutage(error.cause)
}

function eventsOf(logs: readonly Log[], asset: Hex) {
  return parseEventLogs({ abi: eip3009, logs: logs.filter(({ address }) => isAddressEqual(address, asset)) })
}

/**
 * Whether a transaction carried exactly this transfer. The event of the authorization comes right before that of its own
 * transfer (EIP-3009): another transfer of the same transaction may pay for something else.
 */
function carries({ status, logs }: TransactionReceipt, transfer: Transfer): boolean {
  if (status !== 'success') return false
  const events = eventsOf(logs, transfer.asset)
  const used = events.findIndex(
    ({ eventName, args }) =>
      eventName === 'AuthorizationUsed' &&
      isAddressEqual(args.authorizer, transfer.payer) &&
      args.nonce.toLowerCase() === transfer.nonce.toLowerCase(),
  )
  const moved = used === -1 ? undefined : events[used + 1]
  return (
    moved?.eventName === 'Transfer' &&
    isAddressEqual(moved.args.from, transfer.payer) &&
    isAddressEqual(moved.args.to, transfer.payTo) &&
    moved.args.value === BigInt(transfer.amount)
  )
}

/** What asof reads from the chain: never what somebody says about it. */
export class Chain {
  readonly #client: PublicClient
  readonly #confirmations: bigint

  constructor(client: PublicClient, confirmations: number) {
    this.#client = client
    this.#confirmations = BigInt(confirmations)
  }

  /** The height of the chain. */
  async height(): Promise<number> {
    return Number(await this.#client.getBlockNumber())
  }

  /**
   * Why the chain is not the one that the terms name; `undefined` when it is.
   *
   * @throws viem's error - the node can't be asked.
   */
  async problemWith({ network, asset, assetName, assetVersion }: PaymentTerms): Promise<string | undefined> {
    const id = await this.#client.getChainId()
    if (id !== chainIdOf(network)) return `the node is of chain ${id}, not of ${network}`
    const code = await this.#client.getCode({ address: asset })
    if (code === undefined || code === '0x') return `there is no token at ${asset}`
    const read = (functionName: 'name' | 'version') =>
      this.#client.readContract({ address: asset, abi: eip3009, functionName })
    const [name, version] = await Promise.all([read('name'), read('version')])
    if (name === assetName && version === assetVersion) return undefined
    return `the token calls itself ${JSON.stringify(name)} version ${JSON.stringify(version)}: signatures for ${JSON.stringify(assetName)} version ${JSON.stringify(assetVersion)} are none`
  }

  /**
   * What became of a transfer.
   *
   * @throws viem's error - the node can't be asked.
   */
  async fateOf(transfer: Transfer): Promise<Fate> {
    const { asset, payer, nonce, validBefore } = transfer
    const latest = await this.#client.getBlock({ includeTransactions: false })
    const used = await this.#client.readContract({
      address: asset,
      abi: eip3009,
      functionName: 'authorizationState',
      args: [payer, nonce],
      blockNumber: latest.number,
    })
    if (!used) {
      return { kind: latest.timestamp > BigInt(validBefore) + EXPIRED_SECONDS ? 'expired' : 'unused' }
    }
    const receipt = (await this.#own(transfer)) ?? (await this.#found(transfer, latest.number))
    // A node that knows the state and not yet its event is asked again.
    if (!receipt) return { kind: 'unused' }
    if (!carries(receipt, transfer)) return { kind: 'spent' }
    const deep = latest.number - receipt.blockNumber + 1n >= this.#confirmations
    return deep ? { kind: 'paid', transaction: receipt.transactionHash } : { kind: 'unused' }
  }

  /** The receipt of the transaction that was sent, when it carried the transfer. */
  async #own(transfer: Transfer): Promise<TransactionReceipt | undefined> {
    if (transfer.transaction === undefined) return undefined
    try {
      const receipt = await this.#client.getTransactionReceipt({ hash: transfer.transaction })
      return carries(receipt, transfer) ? receipt : undefined
    } catch (error) {
      if (error instanceof TransactionReceiptNotFoundError) return undefined
      throw error
    }
  }

  /** The receipt of whatever transaction used the authorization. */
  async #found(
    { asset, payer, nonce, sinceBlock = 0 }: Transfer,
    head: bigint,
  ): Promise<TransactionReceipt | undefined> {
    let from = BigInt(sinceBlock)
    for (let window = 0; window < MAX_WINDOWS && from <= head; window += 1) {
      const to = from + BLOCKS_AT_A_TIME - 1n
      const [log] = await this.#client.getLogs({
        address: asset,
        event: eip3009[0],
        args: { authorizer: payer, nonce },
        fromBlock: from,
        toBlock: to < head ? to : head,
      })
      if (log) return await this.#client.getTransactionReceipt({ hash: log.transactionHash })
      from = to + 1n
    }
    return undefined
  }
}
