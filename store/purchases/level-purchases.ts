import { Journal, type JournalSnapshot, rangeUnder, type Write } from '../../service/records/index.ts'
import type { CompletePurchase, MethodName, OpenPurchase, Purchase, PurchaseTerms } from './purchase.ts'
import { MAX_DUE, type PurchaseLedger } from './purchase-ledger.ts'

const PAGE = 1_000

/** Returns the position of a purchase in the order of agents. */
function positionOf({ agent, method, proof }: PurchaseTerms): string {
  return `${agent}/${method}/${proof}`
}

const keys = {
  purchase: (method: MethodName, proof: string) => `purchase/${method}/${proof}`,
  /** The purchases whose receipt was not sent completely. The value is the position. */
  due: (position: string) => `due/${position}`,
  /** The card payments that were refunded, by reference. The value is the instant of the refund, epoch ms. */
  refunded: (reference: string) => `refunded/${reference}`,
  /** The idempotency keys of an agent. The value is the key of the purchase. */
  idempotency: (agent: string, hash: string) => `key/${agent}/${hash}`,
}

/** The purchases in a folder, for one process. */
export class LevelPurchases implements PurchaseLedger {
  readonly #journal: Journal
  /** The keys of purchases whose first record is being written. */
  readonly #beginning = new Set<string>()
  /** The agents whose purchases are locked. */
  readonly #locked = new Set<string>()

  private constructor(journal: Journal) {
    this.#journal = journal
  }

  /**
   * Opens the ledger in a folder and creates the folder if it is missing.
   *
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  static async open(dir: string): Promise<LevelPurchases> {
    return new LevelPurchases(await Journal.open(dir, () => {}, 'the purchases'))
  }

  async lock(agent: string): Promise<boolean> {
    if (this.#locked.has(agent)) return false
    this.#locked.add(agent)
    return true
  }

  async unlock(agent: string): Promise<void> {
    this.#locked.delete(agent)
  }

  async find(method: MethodName, proof: string): Promise<Purchase | undefined> {
    return this.#read(keys.purchase(method, proof))
  }

  async ofKey(agent: string, hash: string): Promise<Purchase | undefined> {
    const key = this.#journal.read(keys.idempotency(agent, hash)) as string | undefined
    return key === undefined ? undefined : this.#own(agent, key)
  }

  async dueTo(agent: string): Promise<Purchase[]> {
    const positions = (await this.#journal.list(rangeUnder(`due/${agent}`), { limit: MAX_DUE })) as string[]
    return this.#at(positions)
  }

  async listOpen(agent?: string): Promise<OpenPurchase[]> {
    if (agent !== undefined) return (await this.dueTo(agent)).filter(purchase => purchase.receipt === undefined)
    const open: OpenPurchase[] = []
    for (let after = ''; ; ) {
      const positions = (await this.#journal.list(rangeUnder('due', after), { limit: PAGE })) as string[]
      open.push(...this.#at(positions).filter(purchase => purchase.receipt === undefined))
      const last = positions.at(-1)
      if (last === undefined || positions.length < PAGE) return open
      after = last
    }
  }

  async begin(purchase: OpenPurchase): Promise<boolean> {
    const key = keys.purchase(purchase.method, purchase.proof)
    // The check and the mark happen without an `await` between them, so two calls can't both pass. Later calls find the record
    // on disk.
    if (this.#beginning.has(key) || this.#read(key)) return false
    this.#beginning.add(key)
    try {
      await this.#journal.commit(writesOf(purchase, purchase))
      return true
    } finally {
      this.#beginning.delete(key)
    }
  }

  save(purchase: CompletePurchase): Promise<void> {
    return this.#journal.commit(writesOf(purchase, purchase))
  }

  async void(purchase: PurchaseTerms): Promise<void> {
    const own = this.#own(purchase.agent, keys.purchase(purchase.method, purchase.proof))
    if (own && !own.receipt) await this.#journal.commit(writesOf(purchase, undefined))
  }

  noteRefund(reference: string, at: number): Promise<void> {
    return this.#journal.commit([[keys.refunded(reference), at]])
  }

  async wasRefunded(reference: string): Promise<boolean> {
    return this.#journal.read(keys.refunded(reference)) !== undefined
  }

  /** Takes a snapshot of all purchases. */
  snapshot(): JournalSnapshot {
    return this.#journal.snapshot()
  }

  close(): Promise<void> {
    return this.#journal.close()
  }

  /** Returns the purchases at some positions. A purchase may have been voided since its position was read. */
  #at(positions: readonly string[]): Purchase[] {
    return positions.flatMap(position => {
      const [agent = '', method, proof = ''] = position.split('/')
      return this.#own(agent, keys.purchase(method as MethodName, proof)) ?? []
    })
  }

  /** Returns the purchase under a key if it belongs to an agent. */
  #own(agent: string, key: string): Purchase | undefined {
    const purchase = this.#read(key)
    return purchase?.agent === agent ? purchase : undefined
  }

  #read(key: string): Purchase | undefined {
    return this.#journal.read(key) as Purchase | undefined
  }
}

function writesOf(purchase: PurchaseTerms, record: Purchase | undefined): Write[] {
  const key = keys.purchase(purchase.method, purchase.proof)
  const isDue = record !== undefined && !(record.receipt && record.isReceiptSent)
  const writes: Write[] = [
    [key, record],
    [keys.due(positionOf(purchase)), isDue ? positionOf(purchase) : undefined],
  ]
  if (purchase.key !== undefined) writes.push([keys.idempotency(purchase.agent, purchase.key), record && key])
  return writes
}
