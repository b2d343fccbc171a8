import { temporaryFolder } from './running-command.ts'
import { type Seller, stopSeller } from './running-seller.ts'

/** A seller, the folder from which it sells, and the number of its sales that tests have made. */
export interface Shop {
  dir: string
  seller: Seller
  sold: number
}

/**
 * A seller over one folder that one test after the other kills and starts again. Each test takes the process that the test before has
 * started, so that a kill takes one start and not two. After a test that failed, the next test gets a new folder.
 */
export class SellerSeries {
  readonly #start: (dir: string) => Promise<Seller>
  readonly #folders: { remove: () => Promise<void> }[] = []
  #shop: Shop | undefined

  constructor(start: (dir: string) => Promise<Seller>) {
    this.#start = start
  }

  /** Returns the shop that the test before kept, or a new one. */
  async take(): Promise<Shop> {
    const kept = this.#shop
    this.#shop = undefined
    if (kept) return kept
    const folder = await temporaryFolder()
    this.#folders.push(folder)
    return { dir: folder.dir, seller: await this.#start(folder.dir), sold: 0 }
  }

  /** Waits until the seller has killed itself, and starts it again. */
  async startAgain(shop: Shop): Promise<void> {
    await shop.seller.ended
    shop.seller = await this.#start(shop.dir)
  }

  /** Keeps a shop for the next test. Called at the end of a test that has passed. */
  keep(shop: Shop): void {
    this.#shop = shop
  }

  async close(): Promise<void> {
    if (this.#shop) await stopSeller(this.#shop.seller)
    for (const folder of this.#folders) await folder.remove()
  }
}
