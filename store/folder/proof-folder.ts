import path from 'node:path'
import { openRecords, type PartPlace } from '../../service/data-folder/index.ts'
import type { MppSettings } from '../purchases/index.ts'
import type { WalletProof } from '../wallet-proof/index.ts'
import { UsedProofs } from '../wallet-proof/used-proofs.ts'
import type { PaymentSetup } from './payment-folder.ts'

/**
 * The used wallet proofs in a data folder. A backup does not include them, because they expire after minutes. Nothing
 * is written to disk before wallets are checked.
 */
export class ProofFolder {
  readonly #place: PartPlace
  readonly #payments: PaymentSetup | undefined
  readonly #mpp: MppSettings | undefined
  #usedProofs: UsedProofs | undefined

  /** Wallets are checked only with both settings. */
  constructor(place: PartPlace, payments: PaymentSetup | undefined, mpp: MppSettings | undefined) {
    this.#place = place
    this.#payments = payments
    this.#mpp = mpp
  }

  /** Starts checking wallets, see `StoreFolder.checkWallets`. */
  async start(): Promise<WalletProof | undefined> {
    const { dir, database, now } = this.#place
    const payments = this.#payments
    const mpp = this.#mpp
    if (!payments || !mpp) return undefined
    const { openWalletProof } = await import('../wallet-proof/index.ts')
    const usedProofs = await UsedProofs.open(
      await openRecords(database, path.join(dir, 'proofs'), 'the wallet proofs'),
      now,
    )
    this.#usedProofs = usedProofs
    return await openWalletProof({ terms: payments.settings.terms, ...mpp, usedProofs, now })
  }

  async close(): Promise<void> {
    await this.#usedProofs?.close()
  }
}
