import { existsSync } from 'node:fs'
import path from 'node:path'
import { type OwnLedger, openRecords, type PartPlace } from '../../service/data-folder/index.ts'
import type { Payments } from '../payments/index.ts'
import type { CardSettings, MppSettings, Purchases } from '../purchases/index.ts'
import { PurchaseLedger } from '../purchases/purchase-ledger.ts'
import { paymentFailureText } from './payment-failure.ts'

/** How plans are sold in other ways than by x402. */
export interface PurchaseSetup {
  /** How challenges of MPP are signed. Default: plans are not sold by MPP. */
  mpp?: MppSettings
  /** How cards are charged. Needs `mpp`. Default: plans are not sold by card. */
  card?: CardSettings
}

/** Returns the subfolder of a data folder with the purchases of plans. */
export function purchasesDir(dir: string): string {
  return path.join(dir, 'purchases')
}

/** The purchases of a data folder, in the folder or in the database of several servers. Nothing is written to disk before plans are sold. */
export class PurchaseFolder {
  readonly #place: PartPlace
  readonly #setup: PurchaseSetup | undefined
  #ledger: Promise<PurchaseLedger> | undefined
  #purchases: Purchases | undefined

  constructor(place: PartPlace, setup: PurchaseSetup | undefined) {
    this.#place = place
    this.#setup = setup
  }

  /** Starts selling plans, see `StoreFolder.sellPlans`. */
  async start(payments: Payments | undefined): Promise<Purchases | undefined> {
    const setup = this.#setup
    const { now, onNotice } = this.#place
    if (!payments && !setup?.card) return undefined
    const ledger = await this.#open()
    // Imported only here, because few servers sell plans.
    const { openPurchases } = await import('../purchases/index.ts')
    const access = await this.#place.access()
    const onFailure = (failure: unknown) => onNotice(`purchases: ${paymentFailureText(failure)}`)
    this.#purchases = await openPurchases({ access, ledger, now, onFailure, payments, ...setup })
    return this.#purchases
  }

  /** Opens the purchases for a backup. Returns undefined if the folder has no purchases. */
  async openOwn(): Promise<OwnLedger | undefined> {
    if (!this.#ledger && !existsSync(purchasesDir(this.#place.dir))) return undefined
    const ledger = await this.#open()
    return { dirIn: purchasesDir, snapshot: () => ledger.snapshot() }
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
    const { dir, database } = this.#place
    return await PurchaseLedger.open(await openRecords(database, purchasesDir(dir), 'the purchases'))
  }
}
