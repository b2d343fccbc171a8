import { existsSync } from 'node:fs'
import path from 'node:path'
import { AsofError, isAsofError } from '@asof/core'
import { type OwnLedger, openRecords, type PartPlace } from '../../service/data-folder/index.ts'
import { ServiceError } from '../../service/index.ts'
import type { Payments } from '../payments/index.ts'
import { exportPayments, type PaymentActName, paymentActs } from '../payments/payment-acts.ts'
import { PaymentLedger } from '../payments/payment-ledger.ts'
import type { PaymentSettings } from '../payments/payment-settings.ts'
import type { SweepReport } from '../payments/reconciler.ts'
import type { Locate, RegionHeaders, RegionSource } from '../payments/region.ts'
import { paymentFailureText } from './payment-failure.ts'

/**
 * How the region of a caller is found, for regions in which payments are refused (451): from a database in the MaxMind
 * format (`database` is its path), from headers of a trusted proxy, or from both. `'off'` serves every region.
 */
export type RegionSettings = 'off' | { database: string; headers?: RegionHeaders } | { headers: RegionHeaders }

/** How the payments of a data folder are taken. */
export interface PaymentSetup {
  settings: PaymentSettings
  /** Needed for taking payments, but not for listing and reconciling them. */
  regions?: RegionSettings
}

/** A range of UTC days such as `2026-11-22`, both ends included. */
export interface PaymentDays {
  from?: string
  to?: string
}

function paymentsDir(dir: string): string {
  return path.join(dir, 'payments')
}

/**
 * Returns the error for the option `payments.regions`.
 *
 * @param part - the part of the option that is wrong. Default: the whole option.
 */
function regionsProblem(part: 'database' | undefined, reason: string, cause?: unknown): AsofError {
  const field = part === undefined ? 'payments.regions' : `payments.regions.${part}`
  return new AsofError('ASOF_INVALID_OPTION', `${field}: ${reason}`, { cause, details: { field, reason } })
}

/**
 * Opens a database that finds the region of an address.
 *
 * @throws ASOF_INVALID_OPTION - the file cannot be read, or has countries without subdivisions.
 * @throws ASOF_PACKAGE_MISSING - maxmind is not installed.
 */
async function openDatabase(file: string): Promise<Locate> {
  const { CountryDatabaseError, openGeoDatabase } = await import('../payments/region.ts')
  try {
    return await openGeoDatabase(file)
  } catch (cause) {
    if (isAsofError(cause, 'ASOF_PACKAGE_MISSING')) throw cause
    const problem =
      cause instanceof CountryDatabaseError
        ? `${file} holds countries without subdivisions, so payments from Crimea, Donetsk and Luhansk would be accepted; use a database of cities`
        : `${file} can't be read as a database in the MaxMind format`
    throw regionsProblem('database', problem, cause)
  }
}

/** The payments of a data folder, in the folder or in the database of several servers. Nothing is written to disk before payments are taken. */
export class PaymentFolder {
  readonly #place: PartPlace
  readonly #setup: PaymentSetup | undefined
  #ledger: Promise<PaymentLedger> | undefined
  #payments: Payments | undefined

  /** @param setup - how payments are taken. Undefined: payments are not taken. */
  constructor(place: PartPlace, setup: PaymentSetup | undefined) {
    this.#place = place
    this.#setup = setup
  }

  /** Starts taking payments, see `StoreFolder.takePayments`. */
  async start(): Promise<Payments | undefined> {
    const setup = this.#setup
    const { now, onNotice, database } = this.#place
    if (!setup) return undefined
    const regions = await this.#regions(setup)
    const ledger = await this.#openLedger()
    // Imported only here, because few servers take payments and the blockchain libraries are large.
    const { openPayments } = await import('../payments/index.ts')
    this.#payments = await openPayments({
      settings: setup.settings,
      ledger,
      now,
      onFailure: failure => onNotice(`payments: ${paymentFailureText(failure)}`),
      regions,
      createWindow: database?.createWindow,
    })
    return this.#payments
  }

  /** @throws TypeError - there is no such act. */
  async act(name: PaymentActName, input: unknown): Promise<object> {
    if (!Object.hasOwn(paymentActs, name)) throw new TypeError(`there is no act ${name} on payments`)
    const ledger = await this.#openLedger()
    return await paymentActs[name].perform({ ledger, reconcile: () => this.#reconcile(ledger) }, input)
  }

  /** Passes the payments of the given days to `onPayment`. Stops when the signal aborts. */
  async export(
    days: PaymentDays,
    onPayment: (payment: object) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    if (this.#exists()) await exportPayments(await this.#openLedger(), days, onPayment, signal)
  }

  /** Opens the payments for a backup. Returns undefined if the folder has no payments. */
  async openOwn(): Promise<OwnLedger | undefined> {
    const ledger = this.#exists() ? await this.#openLedger() : undefined
    return ledger && { dirIn: paymentsDir, snapshot: () => ledger.snapshot() }
  }

  async close(): Promise<void> {
    await this.#payments?.close()
    // The caller who opened the ledger already got the failure.
    await (await this.#ledger?.catch(() => undefined))?.close()
  }

  async #reconcile(ledger: PaymentLedger): Promise<SweepReport> {
    if (this.#payments) return await this.#payments.reconcile()
    const setup = this.#setup
    const { reconcileOnce } = await import('../payments/index.ts')
    if (!setup) {
      throw new ServiceError('invalid_request', 'Payments are not configured, so there is no blockchain node to ask.')
    }
    return await reconcileOnce(ledger, setup.settings, this.#place.now)
  }

  async #regions({ regions }: PaymentSetup): Promise<RegionSource> {
    if (regions === 'off') {
      this.#place.onNotice('payments: every region is served, because the check of regions is off')
      return 'off'
    }
    if (regions && 'database' in regions) {
      const { database, headers } = regions
      return { locate: await openDatabase(database), headers }
    }
    if (regions) return regions
    throw regionsProblem(
      undefined,
      "payments are not offered in every region, and nothing says where a caller is; give { database } or { headers: { country, region } }, or 'off' to serve every region",
    )
  }

  #exists(): boolean {
    const { dir, database } = this.#place
    return this.#ledger !== undefined || database !== undefined || existsSync(paymentsDir(dir))
  }

  async #open(): Promise<PaymentLedger> {
    const { dir, database } = this.#place
    return await PaymentLedger.open(await openRecords(database, paymentsDir(dir), 'the payments'))
  }

  #openLedger(): Promise<PaymentLedger> {
    this.#ledger ??= this.#open().catch((error: unknown) => {
      // Lets the next call try again.
      this.#ledger = undefined
      throw error
    })
    return this.#ledger
  }
}
