import { setTimeout as sleep } from 'node:timers/promises'
import { Chain, isOutage, nodeClient } from './chain.ts'
import { type PaymentLedger, recoveryOf } from './payment-ledger.ts'
import type { PaymentRecord } from './payment-record.ts'
import type { PaymentSettings } from './payment-settings.ts'
import { paymentsUnavailable, type SettlementOutcome } from './settler.ts'
import type { TransferChain, TransferState } from './transfer-state.ts'

const POLL_MS = 250
/** Interval at which the chain is asked about undecided payments. */
const SWEEP_MS = 30_000

/** The number of undecided payments that a sweep checked, and how many had each outcome after it. */
export interface SweepReport {
  checked: number
  settled: number
  failed: number
  undecided: number
}

/** The result of a settler that has not found the transfer on the chain. */
type Unsettled = Exclude<SettlementOutcome, { kind: 'settled' }>

/** Finds out the outcome of payments from the chain. */
export class Reconciler {
  readonly #ledger: PaymentLedger
  readonly #chain: TransferChain
  readonly #now: () => number
  readonly #stop = new AbortController()
  #sweeping: Promise<void> | undefined

  constructor(ledger: PaymentLedger, chain: TransferChain, now: () => number) {
    this.#ledger = ledger
    this.#chain = chain
    this.#now = now
  }

  /**
   * Updates a record with its outcome on the chain.
   *
   * @throws viem's error - the node is not available.
   */
  async update(record: PaymentRecord): Promise<PaymentRecord> {
    if (record.state === 'settled') return record
    const decided = this.#decided(record, await this.#chain.stateOf(record))
    if (decided !== record) await this.#ledger.save(decided)
    return decided
  }

  #decided(record: PaymentRecord, transfer: TransferState): PaymentRecord {
    if (transfer.kind === 'unused' || transfer.kind === 'unconfirmed') return record
    const { reason, isWatched, ...rest } = record
    if (transfer.kind === 'settled') {
      return { ...rest, state: 'settled', settledAt: this.#now(), transaction: transfer.transaction }
    }
    if (record.state === 'failed') return isWatched ? { ...rest, reason } : record
    return { ...rest, state: 'failed', reason: `authorization_${transfer.kind}` }
  }

  /**
   * Returns the outcome of a settlement according to the chain. Asks the chain repeatedly until the outcome is final or the
   * time is over.
   *
   * @param reported - the result of the settler.
   * @param withinMs - time after which an undecided settlement stays undecided.
   */
  async outcomeOf(record: PaymentRecord, reported: Unsettled, withinMs: number): Promise<SettlementOutcome> {
    const { transaction = record.transaction } = reported
    const beganMs = performance.now()
    for (;;) {
      const transfer = await this.#chain.stateOf({ ...record, transaction }).catch(() => undefined)
      if (transfer?.kind === 'settled') return transfer
      if (transfer?.kind === 'spent' || transfer?.kind === 'expired') {
        return { kind: 'failed', reason: `authorization_${transfer.kind}` }
      }
      // If the node did not answer and a transaction was sent, some transaction may have used the authorization.
      const isUnused = transfer ? transfer.kind === 'unused' : transaction === undefined
      if (reported.kind === 'failed' && isUnused) return reported
      if (performance.now() - beganMs >= withinMs || this.#stop.signal.aborted) break
      await sleep(POLL_MS)
    }
    return { kind: 'undecided', reason: reported.reason, transaction }
  }

  /**
   * Asks the chain once about every open payment. The sweep locks no payment, so that a payer who repeats a request meanwhile
   * is not refused. It skips payments that a request has locked or changed.
   *
   * @throws viem's error - the node is not available, or it could not answer about some payments; then all others were checked.
   */
  async sweep(): Promise<SweepReport> {
    const report: SweepReport = { checked: 0, settled: 0, failed: 0, undecided: 0 }
    const refusals: unknown[] = []
    for (const listed of await this.#ledger.listOpen()) {
      if (this.#stop.signal.aborted) break
      if (await this.#ledger.isLocked(listed.id)) continue
      const record = await this.#recovered(listed)
      if (!record) continue
      const transfer = await this.#chain.stateOf(record).catch((error: unknown) => {
        if (isOutage(error)) throw error
        // The node may no longer have the logs for this payment. The other payments are still checked.
        refusals.push(error)
      })
      if (!transfer) continue
      const decided = this.#decided(record, transfer)
      const { state } = decided
      if (decided !== record && !(await this.#ledger.replace(record, decided))) continue
      if (record.state === 'failed' && state === 'failed') continue
      report.checked += 1
      report[state === 'settled' || state === 'failed' ? state : 'undecided'] += 1
    }
    if (refusals.length > 0) throw refusals[0]
    return report
  }

  /** Takes over a payment whose request has ended without saying how. Returns the record to ask the chain about, if there is one. */
  async #recovered(listed: PaymentRecord): Promise<PaymentRecord | undefined> {
    const recovered = recoveryOf(listed)
    if (recovered === listed) return listed
    // The request may have ended since the record was listed.
    if (!(await this.#ledger.replace(listed, recovered))) return undefined
    return recovered ?? undefined
  }

  /** Sweeps in the background until closed. @param onFailure - called if a sweep failed; the next one runs as usual. */
  start(onFailure: (failure: unknown) => void): void {
    this.#sweeping ??= this.#sweepOften(onFailure)
  }

  async #sweepOften(onFailure: (failure: unknown) => void): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      await this.sweep().catch(onFailure)
      // `sleep` rejects when `close` aborts it.
      await sleep(SWEEP_MS, undefined, { signal }).catch(() => undefined)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#sweeping
  }
}

/**
 * Asks the chain once about the undecided payments. `reconcileOnce` loads this file only after it has found that the optional
 * packages are installed.
 */
export async function reconcileWithNode(
  ledger: PaymentLedger,
  { rpcUrl, confirmations }: Pick<PaymentSettings, 'rpcUrl' | 'confirmations'>,
  now: () => number,
): Promise<SweepReport> {
  const reconciler = new Reconciler(ledger, new Chain(nodeClient(rpcUrl), confirmations), now)
  try {
    return await reconciler.sweep()
  } catch (cause) {
    throw paymentsUnavailable(cause)
  }
}
