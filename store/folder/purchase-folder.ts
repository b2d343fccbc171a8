import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Payments } from '../payments/index.ts'
import type { CardSettings, MppSettings, PurchaseLedger, Purchases } from '../storefront/purchases/index.ts'
import { LevelPurchases } from '../storefront/purchases/level-purchases.ts'
import { PostgresPurchases } from '../storefront/purchases/postgres-purchases.ts'
import type { AccountFolder } from './account-folder.ts'
import type { OwnLedger } from './ledger-copy.ts'
import { paymentFailureText } from './payment-failure.ts'
import type { ServiceDatabase } from './service-database.ts'

/** How plans are sold in other ways than by x402. */
export interface PurchaseSetup {
  /** How challenges of MPP are signed. Default: plans are not sold by MPP. */
  mpp?: MppSettings
  /** How cards are charged. Needs `mpp`. Default: plans are not sold by card. */
  card?: CardSettings
}

interface PurchaseFolderOptions {
  /** The data folder. */
  dir: string
  /** The database that has the purchases. Default: they are in the folder. */
  database: ServiceDatabase | undefined
  accounts: AccountFolder
  setup: PurchaseSetup | undefined
  now: () => number
  /** Called with lines for the operator. */
  onNotice: (line: string) => void
}

/** Returns the subfolder of a data folder with the purchases of plans. */
export function purchasesDir(dir: string): string {
  return path.join(dir, 'purchases')
}

/** The purchases of a data folder, in the folder or in the database of several servers. Nothing is written to disk before plans are sold. */
export class PurchaseFolder {
  readonly #options: PurchaseFolderOptions
  #ledger: Promise<PurchaseLedger> | undefined
  #purchases: Purchases | undefined

  constructor(options: PurchaseFolderOptions) {
    this.#options = options
  }

  /** Starts selling plans, see `LocalDataFolder.sellPlans`. */
  async start(payments: Payments | undefined): Promise<Purchases | undefined> {
    const { accounts, setup, now, onNotice } = this.#options
    if (!payments && !setup?.card) return undefined
    const ledger = await this.#open()
    // Imported only here, because few servers sell plans.
    const { openPurchases } = await import('../storefront/purchases/index.ts')
    const access = await accounts.open()
    const onFailure = (failure: unknown) => onNotice(`purchases: ${paymentFailureText(failure)}`)
    this.#purchases = await openPurchases({ access, ledger, now, onFailure, payments, ...setup })
    return this.#purchases
  }

  /** Opens the purchases for a backup. Returns undefined if the folder has no purchases, or if they are in a database. */
  async openOwn(): Promise<OwnLedger | undefined> {
    if (!this.#ledger && !existsSync(purchasesDir(this.#options.dir))) return undefined
    const ledger = await this.#open()
    return ledger instanceof LevelPurchases ? { dirIn: purchasesDir, snapshot: () => ledger.snapshot() } : undefined
  }

  async close(): Promise<void> {
    await this.#purchases?.close()
    await (await this.#ledger?.catch(() => undefined))?.close()
  }

  #open(): Promise<PurchaseLedger> {
    this.#ledger ??= this.#openLedger().catch((error: unknown) => {
      // Lets the next call try again.
      this.#ledger = undefined
      throw error
    })
    return this.#ledger
  }

  async #openLedger(): Promise<PurchaseLedger> {
    const { dir, database } = this.#options
    if (!database) return await LevelPurchases.open(purchasesDir(dir))
    return await PostgresPurchases.open(await database.open())
  }
}
