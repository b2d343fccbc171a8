import { setTimeout as sleep } from 'node:timers/promises'
import { type Chain, type Fate, isOutage } from './chain.ts'
import type { PaymentLedger } from './payment-ledger.ts'
import type { PaymentRecord } from './payment-record.ts'
import type { Settlement } from './settler.ts'

const POLL_MS = 250
/** Payments that are not decided are asked about again this often. */
const SWEEP_MS = 30_000

/** What a sweep over the payments in doubt found. */
export interface SweepReport {
  checked: number
  settled: number
  failed: number
  unknown: number
}

/** Finds out from the chain what became of payments. Without a chain it believes what it was told. */
export class Reconciler {
  readonly #ledger: PaymentLedger
  readonly #chain: Chain | undefined
  readonly #now: () => number
  readonly #stop = new AbortController()
  #sweeping: Promise<void> | undefined

  constructor(ledger: PaymentLedger, chain: Chain | undefined, now: () => number) {
    this.#ledger = ledger
    this.#chain = chain
    this.#now = now
  }

  get hasChain(): boolean {
    return this.#chain !== undefined
  }

  /**
   * A record with what the chain says of it now; as it is when there is no chain to ask.
   *
   * @throws viem's error - the node can't be asked.
   */
  async update(record: PaymentRecord): Promise<PaymentRecord> {
    if (!this.#chain || record.state === 'settled') return record
    const decided = this.#decided(record, await this.#chain.fateOf(record))
    if (decided !== record) await this.#ledger.save(decided)
    return decided
  }

  #decided(record: PaymentRecord, fate: Fate): PaymentRecord {
    if (fate.kind === 'paid') {
      const { reason: _, ...rest } = record
      return { ...rest, state: 'settled', settledAt: this.#now(), transaction: fate.transaction }
    }
    if (record.state === 'failed' || fate.kind === 'unused') return record
    return { ...record, state: 'failed', reason: fate.kind === 'expired' ? 'expired_unsettled' : 'authorization_spent' }
  }

  /**
   * What really came of a settlement. Nobody's word is believed where the chain can be asked, and where it has not
   * decided yet it is asked again for a while.
   *
   * @param withinMs - how long.
   */
  async outcomeOf(record: PaymentRecord, told: Settlement, withinMs: number): Promise<Settlement> {
    if (!this.#chain || (told.kind === 'settled' && told.proven)) return told
    const transaction = told.transaction === undefined ? {} : { transaction: told.transaction }
    const beganMs = performance.now()
    for (;;) {
      const fate = await this.#chain.fateOf({ ...record, ...transaction }).catch(() => undefined)
      if (fate?.kind === 'paid') return { kind: 'settled', transaction: fate.transaction, proven: true }
      if (fate?.kind === 'spent') return { kind: 'failed', reason: 'authorization_spent', ...transaction }
      if (fate?.kind === 'expired') return { kind: 'failed', reason: 'expired_unsettled', ...transaction }
      if (told.kind === 'failed') return told
      if (performance.now() - beganMs >= withinMs || this.#stop.signal.aborted) break
      await sleep(POLL_MS)
    }
    return {
      kind: 'unknown',
      reason: told.kind === 'unknown' ? told.reason : 'settlement_not_on_chain',
      ...transaction,
    }
  }

  /**
   * Asks the chain about every payment in doubt, once. It holds none of them: a payer who comes back meanwhile is not to be
   * refused, so one that a request has in hand, or has changed, is left to it.
   *
   * @throws viem's error - the node can't be asked; or it would not tell of some payment, the others being done.
   */
  async sweep(): Promise<SweepReport> {
    const report: SweepReport = { checked: 0, settled: 0, failed: 0, unknown: 0 }
    if (!this.#chain) return report
    const refusals: unknown[] = []
    for (const record of await this.#ledger.inDoubt()) {
      if (this.#stop.signal.aborted) break
      if (this.#ledger.isHeld(record.id)) continue
      const fate = await this.#chain.fateOf(record).catch((error: unknown) => {
        if (isOutage(error)) throw error
        // Such as logs that the node keeps no longer: it would stand before the other payments in every sweep.
        refusals.push(error)
      })
      if (!fate || !this.#isUntouched(record)) continue
      const decided = this.#decided(record, fate)
      const { state } = decided
      if (decided !== record) await this.#ledger.save(decided)
      report.checked += 1
      report[state === 'settled' || state === 'failed' ? state : 'unknown'] += 1
    }
    if (refusals.length > 0) throw refusals[0]
    return report
  }

  #isUntouched(record: PaymentRecord): boolean {
    const { id } = record
    return !this.#ledger.isHeld(id) && JSON.stringify(this.#ledger.find(id)) === JSON.stringify(record)
  }

  /** Sweeps in the background, until closed. @param onFailure - told why a sweep ended early; the next one goes on. */
  start(onFailure: (failure: unknown) => void): void {
    if (!this.#chain) return
    this.#sweeping ??= this.#sweepOften(onFailure)
  }

  async #sweepOften(onFailure: (failure: unknown) => void): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await this.sweep().catch(onFailure)
      // Aborting ends the pause early, by a rejection that says nothing else.
      await sleep(SWEEP_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#sweeping
  }
}
