import { createHash } from 'node:crypto'
import type { Plan } from '../../accounts/index.ts'
import { Journal, rangeUnder, type Write } from '../../records/journal.ts'
import type { Receipts } from './payment-method.ts'
import type { MethodName, PlanPayment } from './plan-sales.ts'

/** The answer to a purchase, with wire names. */
export interface Receipt {
  plan: string
  grant: string
  units: number
  starts_at: string
  /** Null if the plan does not end. */
  ends_at: string | null
  payment: PlanPayment
}

/** A payment that an agent presented for a plan. */
export interface PresentedPayment {
  method: MethodName
  /** The id of its proof. */
  proof: string
  agent: string
  /** The plan with the terms of the first call, which hold for repeated calls if the plan is changed or withdrawn. */
  plan: Plan
  /** The hash of its idempotency key. */
  key?: string
  /** When it was first presented, epoch ms. */
  at: number
}

/** A payment whose outcome is not known yet. */
export interface OpenAttempt extends PresentedPayment {
  /** The payment as it was sent, so that the purchase can be completed without its agent presenting it again. */
  payment: unknown
  receipt?: undefined
}

/** A purchase whose plan was given to its agent. */
export interface CompletePurchase extends PresentedPayment {
  receipt: Receipt
  receipts: Receipts
  /** True if the receipt was sent to the agent completely. */
  isDelivered: boolean
}

export type Attempt = OpenAttempt | CompletePurchase

/** Maximum number of purchases of one agent that are read at a time. */
const MAX_DUE = 1_000
const PAGE = 1_000

/** Returns the place of an attempt in the order of agents. */
function placeOf({ agent, method, proof }: PresentedPayment): string {
  return `${agent}/${method}/${proof}`
}

const keys = {
  attempt: (method: MethodName, proof: string) => `attempt/${method}/${proof}`,
  /** The purchases whose receipt an agent has not got. The value is the place, too. */
  due: (place: string) => `due/${place}`,
  /** A card payment that was refunded, by its reference. The value is when, epoch ms. */
  refunded: (reference: string) => `refunded/${reference}`,
  /** The value is the key of the attempt. */
  idempotency: (agent: string, hash: string) => `key/${agent}/${hash}`,
}

/** The durable records of purchases: which payment was presented for what, and the receipt. */
export class PurchaseLedger {
  readonly #journal: Journal
  /** The keys of attempts that are being claimed. */
  readonly #claiming = new Set<string>()

  private constructor(journal: Journal) {
    this.#journal = journal
  }

  /**
   * Opens the ledger in a folder and creates the folder if it is missing.
   *
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  static async open(dir: string): Promise<PurchaseLedger> {
    return new PurchaseLedger(await Journal.open(dir, () => {}, 'the purchases'))
  }

  /** Returns the hash under which an idempotency key is stored. */
  hashOf(key: string): string {
    return createHash('sha256').update(key).digest('hex')
  }

  /** Returns the attempt to pay with a proof. */
  find(method: MethodName, proof: string): Attempt | undefined {
    return this.#read(keys.attempt(method, proof))
  }

  /** Returns the attempt of an agent under an idempotency key. */
  ofKey(agent: string, hash: string): Attempt | undefined {
    const key = this.#journal.read(keys.idempotency(agent, hash)) as string | undefined
    return key === undefined ? undefined : this.#own(agent, key)
  }

  /** Returns the purchases whose receipt an agent has not got, the open ones included. */
  async dueTo(agent: string): Promise<Attempt[]> {
    const places = (await this.#journal.list(rangeUnder(`due/${agent}`), { limit: MAX_DUE })) as string[]
    return this.#at(places)
  }

  /** Returns the attempts whose outcome is not known yet. @param agent - Default: those of all agents. */
  async undecided(agent?: string): Promise<OpenAttempt[]> {
    if (agent !== undefined) return (await this.dueTo(agent)).filter(attempt => attempt.receipt === undefined)
    const open: OpenAttempt[] = []
    for (let after = ''; ; ) {
      const places = (await this.#journal.list(rangeUnder('due', after), { limit: PAGE })) as string[]
      open.push(...this.#at(places).filter(attempt => attempt.receipt === undefined))
      const last = places.at(-1)
      if (last === undefined || places.length < PAGE) return open
      after = last
    }
  }

  /**
   * Stores an attempt if there is none with the same proof, by any agent.
   *
   * @returns false if there is one, and nothing was stored.
   */
  async claim(attempt: OpenAttempt): Promise<boolean> {
    const key = keys.attempt(attempt.method, attempt.proof)
    // Nothing else runs between this check and the mark, and once it is on disk the check finds the attempt itself.
    if (this.#claiming.has(key) || this.#read(key)) return false
    this.#claiming.add(key)
    try {
      await this.#journal.commit(writesOf(attempt, attempt))
      return true
    } finally {
      this.#claiming.delete(key)
    }
  }

  /** Stores that the plan of an attempt was given to its agent. */
  save(purchase: CompletePurchase): Promise<void> {
    return this.#journal.commit(writesOf(purchase, purchase))
  }

  /** Deletes an attempt that moved no money, so that its idempotency key can be used again. Deletes nothing of another agent. */
  async release(attempt: OpenAttempt): Promise<void> {
    const own = this.#own(attempt.agent, keys.attempt(attempt.method, attempt.proof))
    if (own && !own.receipt) await this.#journal.commit(writesOf(attempt, undefined))
  }

  /** Notes that a card payment was refunded, which may be reported before the payment. */
  noteRefund(reference: string, at: number): Promise<void> {
    return this.#journal.commit([[keys.refunded(reference), at]])
  }

  /** True if a card payment was refunded. */
  wasRefunded(reference: string): boolean {
    return this.#journal.read(keys.refunded(reference)) !== undefined
  }

  /** Copies all purchases into a new folder. */
  copyTo(dir: string): Promise<void> {
    return this.#journal.copyTo(dir)
  }

  close(): Promise<void> {
    return this.#journal.close()
  }

  /** Returns the attempts of the agents that the places name. An attempt may have been released since its place was read. */
  #at(places: readonly string[]): Attempt[] {
    return places.flatMap(place => {
      const [agent = '', method, proof = ''] = place.split('/')
      return this.#own(agent, keys.attempt(method as MethodName, proof)) ?? []
    })
  }

  /** Returns the attempt under a key if it is that of an agent. */
  #own(agent: string, key: string): Attempt | undefined {
    const attempt = this.#read(key)
    return attempt?.agent === agent ? attempt : undefined
  }

  #read(key: string): Attempt | undefined {
    return this.#journal.read(key) as Attempt | undefined
  }
}

function writesOf(attempt: Attempt, record: Attempt | undefined): Write[] {
  const key = keys.attempt(attempt.method, attempt.proof)
  const isDue = record !== undefined && !(record.receipt && record.isDelivered)
  const writes: Write[] = [
    [key, record],
    [keys.due(placeOf(attempt)), isDue ? placeOf(attempt) : undefined],
  ]
  if (attempt.key !== undefined) writes.push([keys.idempotency(attempt.agent, attempt.key), record && key])
  return writes
}
