import { Journal, type JournalSnapshot, rangeUnder, type Write } from '../../service/records/index.ts'
import { isOpen, type PaymentLedger, recoveryOf } from './payment-ledger.ts'
import type { PaidKind, PaymentRecord } from './payment-record.ts'
import { PaymentSecret } from './payment-secret.ts'
import { PaymentTally } from './payment-tally.ts'

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

/** The payments in a folder, for one process. Changes that arrive together share a synced write. */
export class LevelPayments implements PaymentLedger {
  readonly #journal: Journal
  readonly #secret: PaymentSecret
  /** Ids of payments that a request is using. */
  readonly #locked = new Set<string>()
  readonly tally = new PaymentTally()

  private constructor(journal: Journal, secret: PaymentSecret) {
    this.#journal = journal
    this.#secret = secret
  }

  /**
   * Opens the ledger in a folder and creates the folder if it is missing. If the process was killed before, payments in the
   * state `held` are voided, since nothing was sent for them. Payments in the state `settling` become `undecided`.
   *
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_CORRUPT | ASOF_STORE_WRITE
   */
  static async open(dir: string): Promise<LevelPayments> {
    // The ledger caches no records, so nothing has to be reloaded after a failed write.
    const journal = await Journal.open(dir, () => {}, 'the payments')
    try {
      let secret = journal.read(keys.secret) as string | undefined
      if (secret === undefined) {
        secret = PaymentSecret.random()
        await journal.commit([[keys.secret, secret]])
      }
      const ledger = new LevelPayments(journal, new PaymentSecret(secret))
      await ledger.#recover()
      return ledger
    } catch (error) {
      await journal.close()
      throw error
    }
  }

  async #recover(): Promise<void> {
    for (const record of await this.listOpen()) {
      const recovered = recoveryOf(record)
      if (recovered !== record) await this.replace(record, recovered)
    }
  }

  async lock(id: string): Promise<boolean> {
    if (this.#locked.has(id)) return false
    this.#locked.add(id)
    return true
  }

  async unlock(id: string): Promise<void> {
    this.#locked.delete(id)
  }

  async isLocked(id: string): Promise<boolean> {
    return this.#locked.has(id)
  }

  async isLockedHere(id: string): Promise<boolean> {
    return this.#locked.has(id)
  }

  async find(id: string): Promise<PaymentRecord | undefined> {
    return this.#find(id)
  }

  #find(id: string): PaymentRecord | undefined {
    return this.#journal.read(keys.payment(id)) as PaymentRecord | undefined
  }

  async save(record: PaymentRecord): Promise<void> {
    const { id } = record
    const before = this.#find(id)
    const position = positionOf(record)
    const open: Write = [keys.open(id), isOpen(record) ? id : undefined]
    await this.#journal.commit([[keys.payment(id), record], [keys.when(position), position], open])
    if (before?.state !== record.state) this.tally.entered(record)
  }

  async replace(before: PaymentRecord, record: PaymentRecord | null): Promise<boolean> {
    const { id } = before
    if (this.#locked.has(id) || JSON.stringify(this.#find(id)) !== JSON.stringify(before)) return false
    await (record ? this.save(record) : this.void(before))
    return true
  }

  async void(record: PaymentRecord): Promise<void> {
    const deleted = [keys.payment(record.id), keys.when(positionOf(record)), keys.open(record.id)]
    await this.#journal.commit(deleted.map(key => [key, undefined]))
    this.tally.voided()
  }

  fingerprint(kind: PaidKind, request: object): string {
    return this.#secret.fingerprint(kind, request)
  }

  receiptSeed(): Uint8Array {
    return this.#secret.receiptSeed()
  }

  async listOpen(): Promise<PaymentRecord[]> {
    const found: PaymentRecord[] = []
    for (let after: string | undefined; ; ) {
      const ids = (await this.#journal.list(rangeUnder('open', after), { limit: PAGE })) as string[]
      found.push(...this.#recordsOf(ids))
      if (ids.length < PAGE) return found
      after = ids.at(-1)
    }
  }

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
    return ids.flatMap(id => this.#find(id) ?? [])
  }

  /** Takes a snapshot of all payments. */
  snapshot(): JournalSnapshot {
    return this.#journal.snapshot()
  }

  close(): Promise<void> {
    return this.#journal.close()
  }
}
