import { defaultPaymentLimits } from '../../service/accounts/index.ts'

/** Hexadecimal digits after `0x`. */
export type Hex = `0x${string}`

/** The CAIP-2 id of a chain, such as `eip155:8453`. */
export type Network = `${string}:${string}`

/** The price of one request, and the account to which it is paid. */
export interface PaymentTerms {
  /** The chain of the token. */
  network: Network
  /** The contract address of the token, which must support EIP-3009. */
  asset: Hex
  /** The name and version of the token in its EIP-712 domain. */
  assetName: string
  assetVersion: string
  /** In the token's smallest unit, decimal digits. */
  price: string
  /** The address that is paid. */
  payTo: Hex
  /** Seconds for which a signed payment should be valid. */
  maxTimeoutSeconds: number
}

/** Settlement by a wallet in this process. Two processes must not use the same key. */
export interface WalletSettings {
  privateKey: Hex
  /** Maximum gas price, wei. Payments are unavailable while gas costs more. */
  maxFeePerGas: bigint
}

/** Settlement by an external facilitator. */
export interface FacilitatorSettings {
  /** The address of the facilitator. */
  url: string
  /** The bearer token for requests to the facilitator. */
  token?: string
}

/** How payments are taken. */
export interface PaymentSettings {
  terms: PaymentTerms
  /** Exactly one of `wallet` and `facilitator` is required. */
  wallet?: WalletSettings
  facilitator?: FacilitatorSettings
  /** The URL of a blockchain node. asof reads the outcome of undecided payments from the chain. */
  rpcUrl: string
  /** Number of blocks after which a transfer counts as settled, including its own block. */
  confirmations: number
  /** Time limit for a transaction to be confirmed, or for an answer of the facilitator. */
  confirmTimeoutMs: number
  /** Maximum time, ms, that a request waits for the chain to decide its payment. */
  reconcileMs: number
}

/** Default settings. The offer is that of spec 2.8, and the limits are those of part 8. */
export const paymentDefaults = {
  network: 'eip155:8453',
  asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  assetName: 'USD Coin',
  assetVersion: '2',
  price: '10000',
  maxTimeoutSeconds: 300,
  confirmations: 1,
  confirmTimeoutMs: 30_000,
  reconcileMs: 10_000,
  maxFeeGwei: 10,
  limits: defaultPaymentLimits,
} as const

/** Returns the id of an EVM chain, or `undefined` if the network is not an EVM chain. */
export function chainIdOf(network: string): number | undefined {
  const digits = /^eip155:([1-9]\d{0,14})$/.exec(network)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
