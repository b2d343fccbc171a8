import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { Journal, rangeUnder, type Write } from '../records/journal.ts'
import type { PaidKind, PaymentRecord } from './payment-record.ts'
import { PaymentTally } from './payment-tally.ts'

const SECRET_BYTES = 32
const DIGITS = 15
const PAGE = 1_000

/** Writes an instant with leading zeros, so that instants sort as text. */
function padded(at: number): string {
  return String(at).padStart(DIGITS, '0')
}

/** Returns the position of a record in the order of time. */
function positionOf({ heldAt, id }: PaymentRecord): string {
  return `${padded(heldAt)}/${id}`
}

const keys = {
  /** The secret of the HMAC that makes fingerprints. */
  secret: 'secret',
  payment: (id: string) => `payment/${id}`,
  /** Payments in the order of time. The value is the position. */
  when: (position: string) => `when/${position}`,
  /** Payments whose outcome can still change. The value is the id. */
  open: (id: string) => `open/${id}`,
}

function isOpen({ state, isWatched }: PaymentRecord): boolean {
  return state === 'held' || state === 'settling' || state === 'undecided' || isWatched === true
}

/** Serializes a request with sorted keys, so that equal requests have equal texts. */
function canonical(request: object): string {
  const entries = Object.entries(request).filter(([, value]) => value !== undefined)
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * The durable records of all payments, one for each authorization, so that no authorization pays for two requests, even
 * across restarts. A change is on disk when its promise resolves. Changes that arrive together share a synced write.
 */
export class PaymentLedger {
  readonly #journal: Journal
  readonly #secret: string
  /** Ids of payments that a request is using. */
  readonly #locked = new Set<string>()
  /** Counts of the payments since the ledger was opened. */
  readonly tally = new PaymentTally()

  private constructor(journal: Journal, secret: string) {
    this.#journal = journal
    this.#secret = secret
  }

  /**
   * Opens the ledger in a folder and creates the folder if it is missing. If the process was killed before, payments in the
   * state `held` are voided, since nothing was sent for them. Payments in the state `settling` become `undecided`.
   *
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_CORRUPT | ASOF_STORE_WRITE
   */
  static async open(dir: string): Promise<PaymentLedger> {
    // The ledger caches no records, so nothing has to be reloaded after a failed write.
    const journal = await Journal.open(dir, () => {}, 'the payments')
    try {
      let secret = journal.read(keys.secret) as string | undefined
      if (secret === undefined) {
        secret = randomBytes(SECRET_BYTES).toString('hex')
        await journal.commit([[keys.secret, secret]])
      }
      const ledger = new PaymentLedger(journal, secret)
      await ledger.#recover()
      return ledger
    } catch (error) {
      await journal.close()
      throw error
    }
  }

  async #recover(): Promise<void> {
    for (const record of await this.listOpen()) {
      if (record.state === 'held') await this.void(record)
      else if (record.state === 'settling') await this.save({ ...record, state: 'undecided', reason: 'interrupted' })
    }
  }

  /**
   * Locks a payment for one request, synchronously and in memory.
   *
   * @returns false if another request has locked it.
   */
  lock(id: string): boolean {
    if (this.#locked.has(id)) return false
    this.#locked.add(id)
    return true
  }

  unlock(id: string): void {
    this.#locked.delete(id)
  }

  isLocked(id: string): boolean {
    return this.#locked.has(id)
  }

  /** @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT */
  find(id: string): PaymentRecord | undefined {
    return this.#journal.read(keys.payment(id)) as PaymentRecord | undefined
  }

  /** Stores a record. @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_STORE_CORRUPT */
  async save(record: PaymentRecord): Promise<void> {
    const { id } = record
    const before = this.find(id)
    const position = positionOf(record)
    const open: Write = [keys.open(id), isOpen(record) ? id : undefined]
    await this.#journal.commit([[keys.payment(id), record], [keys.when(position), position], open])
    if (before?.state !== record.state) this.tally.entered(record)
  }

  /** Deletes the record of a payment that was held and not charged, so that it can be used again. @throws ASOF_STORE_WRITE */
  async void(record: PaymentRecord): Promise<void> {
    const deleted = [keys.payment(record.id), keys.when(positionOf(record)), keys.open(record.id)]
    await this.#journal.commit(deleted.map(key => [key, undefined]))
    this.tally.voided()
  }

  /**
   * Returns the fingerprint that a record stores instead of its request. It is an HMAC with a secret of this ledger, so
   * nobody can test whether a record belongs to a guessed query.
   */
  fingerprint(kind: PaidKind, request: object): string {
    return createHmac('sha256', this.#secret)
      .update(`${kind}\n${canonical(request)}`)
      .digest('hex')
      .slice(0, 32)
  }

  /** Returns 32 secret bytes for the key that signs receipts. They follow from the secret of this ledger, so a backup has them too. */
  receiptSeed(): Uint8Array {
    return new Uint8Array(hkdfSync('sha256', this.#secret, '', 'asof receipts', SECRET_BYTES))
  }

  /**
   * Returns the payments whose outcome can still change: payments that are `held`, `settling` or `undecided`, and failed ones
   * with `isWatched`.
   */
  async listOpen(): Promise<PaymentRecord[]> {
    const found: PaymentRecord[] = []
    for (let after: string | undefined; ; ) {
      const ids = (await this.#journal.list(rangeUnder('open', after), { limit: PAGE })) as string[]
      found.push(...this.#recordsOf(ids))
      if (ids.length < PAGE) return found
      after = ids.at(-1)
    }
  }

  /**
   * Yields payments in the order in which they were first held.
   *
   * @param between - epoch ms; `from` inclusive, `to` exclusive.
   */
  async *all(between: { from?: number; to?: number } = {}): AsyncGenerator<PaymentRecord> {
    const { from = 0, to } = between
    const { lt } = to === undefined ? rangeUnder('when') : { lt: keys.when(padded(to)) }
    for (let after = padded(from); ; ) {
      const positions = (await this.#journal.list({ gt: keys.when(after), lt }, { limit: PAGE })) as string[]
      yield* this.#recordsOf(positions.map(position => position.slice(DIGITS + 1)))
      const last = positions.at(-1)
      if (last === undefined || positions.length < PAGE) return
      after = last
    }
  }

  /** Reads records by id. A record may have been voided since its id was read. */
  #recordsOf(ids: readonly string[]): PaymentRecord[] {
    return ids.flatMap(id => this.find(id) ?? [])
  }

  /** Copies a snapshot of the payments into a folder that does not exist. */
  copyTo(dir: string): Promise<void> {
    return this.#journal.copyTo(dir)
  }

  close(): Promise<void> {
    return this.#journal.close()
  }
}
