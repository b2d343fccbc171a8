import { isError } from '@asof/extract/errors'
import {
  createPublicClient,
  HttpRequestError,
  http,
  isAddressEqual,
  LimitExceededRpcError,
  type Log,
  type PublicClient,
  parseAbi,
  parseEventLogs,
  ResourceUnavailableRpcError,
  TimeoutError,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { chainIdOf, type Hex, type PaymentTerms } from './payment-settings.ts'
import type { Transfer, TransferChain, TransferState } from './transfer-state.ts'

/** The functions and events of an EIP-3009 token that asof uses. */
const eip3009 = parseAbi([
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function name() view returns (string)',
  'function version() view returns (string)',
])

const REQUEST_MS = 5_000
const POLL_MS = 250
/** Number of blocks in one query for logs. Most nodes allow it. */
const BLOCKS_AT_A_TIME = 2_000n
/** Maximum number of queries for the logs of one transfer. */
const MAX_WINDOWS = 100
/** Time that is added to `validBefore` of a transfer, and taken from the instant of a block, because the timestamps of blocks are not exact. */
const CLOCK_SKEW_SECONDS = 60n

/** Creates a client for a node. */
export function nodeClient(rpcUrl: string): PublicClient {
  return createPublicClient({
    transport: http(rpcUrl, { retryCount: 1, timeout: REQUEST_MS }),
    pollingInterval: POLL_MS,
    cacheTime: POLL_MS,
    // With CCIP read, a contract such as a payer's wallet could make this process fetch arbitrary URLs.
    ccipRead: false,
  })
}

/** Returns true if an error means that the node was not available, and false if the node answered with it. */
export function isOutage(error: unknown): boolean {
  if (!isError(error)) return false
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
 * Returns true if a transaction contains exactly this transfer. A transaction can have several transfers. The event of an
 * authorization comes right before the event of its own transfer (EIP-3009).
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

/** Reads the state of transfers from the chain itself. */
export class Chain implements TransferChain {
  readonly #client: PublicClient
  readonly #confirmations: bigint

  constructor(client: PublicClient, confirmations: number) {
    this.#client = client
    this.#confirmations = BigInt(confirmations)
  }

  /** Returns the height of the chain. */
  async height(): Promise<number> {
    return Number(await this.#client.getBlockNumber())
  }

  /** Searches for the first block from an instant on, with allowance for timestamps of blocks that are not exact. */
  async heightAt(at: number): Promise<number> {
    const since = BigInt(Math.floor(at / 1000)) - CLOCK_SKEW_SECONDS
    let [from, to] = [0n, await this.#client.getBlockNumber()]
    while (from < to) {
      const blockNumber = (from + to) / 2n
      const { timestamp } = await this.#client.getBlock({ blockNumber, includeTransactions: false })
      if (timestamp < since) from = blockNumber + 1n
      else to = blockNumber
    }
    return Number(from)
  }

  /**
   * Checks that the node's chain and token are those of the terms.
   *
   * @returns the difference, as a text for the operator, or `undefined`.
   * @throws viem's error - the node is not available.
   */
  async problemWith({ network, asset, assetName, assetVersion }: PaymentTerms): Promise<string | undefined> {
    const id = await this.#client.getChainId()
    if (id !== chainIdOf(network)) return `the node belongs to chain ${id}, not to ${network}`
    const code = await this.#client.getCode({ address: asset })
    if (code === undefined || code === '0x') return `there is no token at ${asset}`
    const read = (functionName: 'name' | 'version') =>
      this.#client.readContract({ address: asset, abi: eip3009, functionName })
    const [name, version] = await Promise.all([read('name'), read('version')])
    if (name === assetName && version === assetVersion) return undefined
    return `the token is ${JSON.stringify(name)} version ${JSON.stringify(version)}; signatures for ${JSON.stringify(assetName)} version ${JSON.stringify(assetVersion)} would be invalid`
  }

  /**
   * Returns the state of a transfer on the chain.
   *
   * @throws viem's error - the node is not available.
   */
  async stateOf(transfer: Transfer): Promise<TransferState> {
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
      return { kind: latest.timestamp > BigInt(validBefore) + CLOCK_SKEW_SECONDS ? 'expired' : 'unused' }
    }
    const receipt = (await this.#own(transfer)) ?? (await this.#found(transfer, latest.number))
    // The node reports that the authorization was used, but its logs do not have the event yet.
    if (!receipt) return { kind: 'unconfirmed' }
    const deep = latest.number - receipt.blockNumber + 1n >= this.#confirmations
    if (!deep) return { kind: 'unconfirmed' }
    return carries(receipt, transfer) ? { kind: 'settled', transaction: receipt.transactionHash } : { kind: 'spent' }
  }

  /**
   * Returns true if the node knows a transaction that is in no block yet.
   *
   * @throws viem's error - the node is not available.
   */
  async isPending(transaction: Hex): Promise<boolean> {
    try {
      return (await this.#client.getTransaction({ hash: transaction })).blockNumber === null
    } catch (error) {
      if (error instanceof TransactionNotFoundError) return false
      throw error
    }
  }

  /** Returns the receipt of the transaction that asof sent, if it contains the transfer. */
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

  /** Searches the logs for the transaction that used the authorization, and returns its receipt. */
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
