import { createHmac, randomBytes } from 'node:crypto'
import { Journal, rangeUnder, type Write } from '../records/journal.ts'
import type { PaidKind, PaymentRecord } from './payment-record.ts'
import { PaymentTally } from './payment-tally.ts'

const SECRET_BYTES = 32
const DIGITS = 15
const PAGE = 1_000

function inOrder(at: number): string {
  return String(at).padStart(DIGITS, '0')
}

/** Where a record stands among all, in the order of time. */
function placeOf({ reservedAt, id }: PaymentRecord): string {
  return `${inOrder(reservedAt)}/${id}`
}

const keys = {
  /** Of the fingerprints. */
  secret: 'secret',
  payment: (id: string) => `payment/${id}`,
  /** In the order of time; the value is the same place. */
  when: (place: string) => `when/${place}`,
  /** Payments whose outcome is not known. */
  open: (id: string) => `open/${id}`,
}

function isOpen({ state }: PaymentRecord): boolean {
  return state === 'reserved' || state === 'served' || state === 'unknown'
}

/** Key order must not tell two equal requests apart. */
function canonical(request: object): string {
  const entries = Object.entries(request).filter(([, value]) => value !== undefined)
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Every payment that was ever taken: durable, one record for each authorization, so that none serves two requests,
 * across restarts too. What a state change writes is on disk when its promise resolves; those that come together share a
 * synced write.
 */
export class PaymentLedger {
  readonly #journal: Journal
  readonly #secret: string
  readonly #held = new Set<string>()
  /** What became of payments since the ledger was opened. */
  readonly tally = new PaymentTally()

  private constructor(journal: Journal, secret: string) {
    this.#journal = journal
    this.#secret = secret
  }

  /**
   * Opens the ledger in a folder, which is created. What a process that died had only reserved is let go: nothing was
   * sent for it. What it was sending is `unknown` from now on.
   *
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_NEWER | ASOF_STORE_READ | ASOF_STORE_CORRUPT | ASOF_STORE_WRITE
   */
  static async open(dir: string): Promise<PaymentLedger> {
    // No memory of what is on disk is kept, so a lost write leaves nothing to take back.
    const journal = await Journal.open(dir, () => {}, 'the payments')
    try {
      let secret = journal.read(keys.secret) as string | undefined
      if (secret === undefined) {
        secret = randomBytes(SECRET_BYTES).toString('hex')
        await journal.commit([[keys.secret, secret]])
      }
      const ledger = new PaymentLedger(journal, secret)
      await ledger.#takeOver()
      return ledger
    } catch (error) {
      await journal.close()
      throw error
    }
  }

  async #takeOver(): Promise<void> {
    for (const record of await this.inDoubt()) {
      if (record.state === 'reserved') await this.release(record)
      else if (record.state === 'served') await this.save({ ...record, state: 'unknown', reason: 'interrupted' })
    }
  }

  /**
   * Takes a payment for one request, in one step of the event loop.
   *
   * @returns false when another request has it.
   */
  hold(id: string): boolean {
    if (this.#held.has(id)) return false
    this.#held.add(id)
    return true
  }

  letGo(id: string): void {
    this.#held.delete(id)
  }

  isHeld(id: string): boolean {
    return this.#held.has(id)
  }

  /** @throws ASOF_STORE_READ | ASOF_STORE_CORRUPT */
  find(id: string): PaymentRecord | undefined {
    return this.#journal.read(keys.payment(id)) as PaymentRecord | undefined
  }

  /** Keeps a record. @throws ASOF_STORE_WRITE | ASOF_STORE_READ | ASOF_STORE_CORRUPT */
  async save(record: PaymentRecord): Promise<void> {
    const { id } = record
    const before = this.find(id)
    const place = placeOf(record)
    const open: Write = [keys.open(id), isOpen(record) ? id : undefined]
    await this.#journal.commit([[keys.payment(id), record], [keys.when(place), place], open])
    if (before?.state !== record.state) this.tally.entered(record)
  }

  /** Forgets a payment that was not used: it may be used again. @throws ASOF_STORE_WRITE */
  async release(record: PaymentRecord): Promise<void> {
    const gone = [keys.payment(record.id), keys.when(placeOf(record)), keys.open(record.id)]
    await this.#journal.commit(gone.map(key => [key, undefined]))
    this.tally.released()
  }

  /**
   * Tells requests apart without keeping them: keyed with a secret of this ledger, so that nobody who sees a record can
   * try queries on it.
   */
  fingerprint(kind: PaidKind, request: object): string {
    return createHmac('sha256', this.#secret)
      .update(`${kind}\n${canonical(request)}`)
      .digest('hex')
      .slice(0, 32)
  }

  /** Payments whose outcome is not known. */
  async inDoubt(): Promise<PaymentRecord[]> {
    const found: PaymentRecord[] = []
    for (let after: string | undefined; ; ) {
      const ids = (await this.#journal.list(rangeUnder('open', after), { limit: PAGE })) as string[]
      found.push(...this.#recordsOf(ids))
      if (ids.length < PAGE) return found
      after = ids.at(-1)
    }
  }

  /**
   * Payments in the order in which they were reserved.
   *
   * @param between - epoch ms; from the first inclusive to the second exclusive.
   */
  async *all(between: { from?: number; to?: number } = {}): AsyncGenerator<PaymentRecord> {
    const { from = 0, to } = between
    const { lt } = to === undefined ? rangeUnder('when') : { lt: keys.when(inOrder(to)) }
    for (let after = inOrder(from); ; ) {
      const places = (await this.#journal.list({ gt: keys.when(after), lt }, { limit: PAGE })) as string[]
      yield* this.#recordsOf(places.map(place => place.slice(DIGITS + 1)))
      if (places.length < PAGE) return
      after = places.at(-1)!
    }
  }

  /** A record that went between the reading of its id and its own was released. */
  #recordsOf(ids: readonly string[]): PaymentRecord[] {
    return ids.flatMap(id => this.find(id) ?? [])
  }

  /** Copies the payments, as of one moment, into a folder that does not exist. */
  copyTo(dir: string): Promise<void> {
    return this.#journal.copyTo(dir)
  }

  close(): Promise<void> {
    return this.#journal.close()
  }
}
