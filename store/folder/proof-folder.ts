import path from 'node:path'
import type { WalletProof } from '../storefront/wallet-proof/index.ts'
import { LevelProofs } from '../storefront/wallet-proof/level-proofs.ts'
import { PostgresProofs } from '../storefront/wallet-proof/postgres-proofs.ts'
import type { UsedProofs } from '../storefront/wallet-proof/used-proofs.ts'
import type { DataFolderOptions } from './options.ts'
import type { ServiceDatabase } from './service-database.ts'

interface ProofFolderOptions {
  /** The data folder. */
  dir: string
  /** The database that has the used proofs. Default: they are in the folder. */
  database?: ServiceDatabase | undefined
  options: Pick<DataFolderOptions, 'payments' | 'purchases'>
  now: () => number
}

/**
 * The used wallet proofs in a data folder. A backup does not include them, because they expire after minutes. Nothing
 * is written to disk before wallets are checked.
 */
export class ProofFolder {
  readonly #options: ProofFolderOptions
  #usedProofs: UsedProofs | undefined

  constructor(options: ProofFolderOptions) {
    this.#options = options
  }

  /** Starts checking wallets, see `LocalDataFolder.checkWallets`. */
  async start(): Promise<WalletProof | undefined> {
    const { dir, database, options, now } = this.#options
    const { payments, purchases } = options
    if (!payments || !purchases?.mpp) return undefined
    const { openWalletProof } = await import('../storefront/wallet-proof/index.ts')
    const usedProofs = database
      ? await PostgresProofs.open(await database.open(), now)
      : await LevelProofs.open(path.join(dir, 'proofs'), now)
    this.#usedProofs = usedProofs
    return await openWalletProof({ terms: payments.settings.terms, ...purchases.mpp, usedProofs, now })
  }

  async close(): Promise<void> {
    await this.#usedProofs?.close()
  }
}
