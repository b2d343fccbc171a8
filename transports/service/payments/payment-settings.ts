/** `0x` and hexadecimal digits. */
export type Hex = `0x${string}`

/** A chain as CAIP-2 names it, such as `eip155:8453`. */
export type Network = `${string}:${string}`

/** What one request costs, and to whom it is paid. */
export interface PaymentTerms {
  network: Network
  /** The token, which must know EIP-3009. */
  asset: Hex
  /** The token's own name and version, as its EIP-712 domain has them. */
  assetName: string
  assetVersion: string
  /** In the token's smallest unit, decimal digits. */
  price: string
  payTo: Hex
  /** How long a signed payment is meant to be valid. */
  maxTimeoutSeconds: number
}

/** Settling by a wallet of this process. One process a key. */
export interface WalletSettings {
  privateKey: Hex
  /** Payments are unavailable while the chain asks for more, wei. */
  maxFeePerGas: bigint
}

/** Settling by a facilitator elsewhere. */
export interface FacilitatorSettings {
  url: string
  /** Sent as bearer. */
  token?: string
}

/** How payments are taken. */
export interface PaymentSettings {
  terms: PaymentTerms
  /** Exactly one of the two settles. */
  wallet?: WalletSettings
  facilitator?: FacilitatorSettings
  /** The node that is asked about the chain. A wallet needs one; beside a facilitator it proves what that says. */
  rpcUrl?: string
  /** Blocks that a transfer must be in the chain for, its own included. */
  confirmations: number
  /** How long a sent transaction, or a facilitator, is waited for. */
  confirmTimeoutMs: number
  /** How long the chain is asked, before an answer, about a payment whose outcome is not known. */
  reconcileMs: number
}

/** Of spec 2.8 and part 8, and of the design of payments. */
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
  limits: { perSecondByAddress: 20, perSecondByWallet: 10 },
} as const

/** The number of an EVM chain; `undefined` when the network is none. */
export function chainIdOf(network: string): number | undefined {
  const digits = /^eip155:([1-9]\d{0,14})$/.exec(network)?.[1]
  return digits === undefined ? undefined : Number(digits)
}
