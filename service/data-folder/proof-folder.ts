import path from 'node:path'
import type { WalletProof } from '../storefront/wallet-proof/index.ts'
import { ProofClaims } from '../storefront/wallet-proof/proof-claims.ts'
import type { DataFolderOptions } from './options.ts'

export interface ProofFolderOptions {
  /** The data folder. */
  dir: string
  options: Pick<DataFolderOptions, 'payments' | 'purchases'>
  now: () => number
}

/**
 * The wallet proofs of a data folder that were used. They are not part of a backup, because they expire after minutes.
 * Nothing is written to disk before wallets are checked.
 */
export class ProofFolder {
  readonly #options: ProofFolderOptions
  #claims: ProofClaims | undefined

  constructor(options: ProofFolderOptions) {
    this.#options = options
  }

  /** Starts checking wallets, see `LocalDataFolder.checkWallets`. */
  async start(): Promise<WalletProof | undefined> {
    const { dir, options, now } = this.#options
    const { payments, purchases } = options
    if (!payments || !purchases?.mpp) return undefined
    const { openWalletProof } = await import('../storefront/wallet-proof/index.ts')
    const claims = await ProofClaims.open(path.join(dir, 'proofs'), now)
    this.#claims = claims
    return await openWalletProof({ terms: payments.settings.terms, ...purchases.mpp, claims, now })
  }

  async close(): Promise<void> {
    await this.#claims?.close()
  }
}
