import { existsSync } from 'node:fs'
import path from 'node:path'
import { isAsofError } from '@asof/core'
import type { PaymentSetup } from '../../cli/settings/payment-settings.ts'
import { UsageError } from '../../cli/usage-error.ts'
import { ServiceError } from '../index.ts'
import type { Payments } from '../payments/index.ts'
import { exportPayments, type PaymentActName, paymentActs } from '../payments/payment-acts.ts'
import { PaymentLedger } from '../payments/payment-ledger.ts'
import type { SweepReport } from '../payments/reconciler.ts'
import type { Locate, RegionSource } from '../payments/region.ts'
import { paymentFailureText } from './payment-failure.ts'

export interface PaymentFolderOptions {
  /** The data folder. */
  dir: string
  /** How payments are taken; default: none are. */
  setup: PaymentSetup | undefined
  now: () => number
  onNotice: (line: string) => void
}

/** Days, UTC, such as `2026-11-22`; both inclusive. */
export interface PaymentDays {
  from?: string
  to?: string
}

function paymentsDir(dir: string): string {
  return path.join(dir, 'payments')
}

/**
 * @throws UsageError - it can't be read, or holds no subdivisions.
 * @throws ASOF_PACKAGE_MISSING - maxmind is not installed.
 */
async function openedGeoDatabase(file: string): Promise<Locate> {
  const { CountryDatabaseError, openGeoDatabase } = await import('../payments/region.ts')
  try {
    return await openGeoDatabase(file)
  } catch (cause) {
    if (isAsofError(cause, 'ASOF_PACKAGE_MISSING')) throw cause
    const problem =
      cause instanceof CountryDatabaseError
        ? `${file} holds countries without subdivisions, which lets Crimea, Donetsk and Luhansk pass; use a database of cities`
        : `${file} can't be read as a database of places in the MaxMind format`
    throw new UsageError(`geo_mmdb (ASOF_GEO_MMDB): ${problem}`, { cause })
  }
}

/** The payments of a data folder that this process holds. Nothing is on disk before payments are taken. */
export class PaymentFolder {
  readonly #options: PaymentFolderOptions
  #ledger: Promise<PaymentLedger> | undefined
  #payments: Payments | undefined

  constructor(options: PaymentFolderOptions) {
    this.#options = options
  }

  /**
   * Starts taking payments, where that is set up.
   *
   * @throws UsageError - no source of regions is set, or it can't be used.
   * @throws ServiceError invalid_request - with these settings nobody could pay.
   */
  async start(): Promise<Payments | undefined> {
    const { setup, now, onNotice } = this.#options
    if (!setup) return undefined
    const regions = await this.#regions(setup)
    const ledger = await this.#opened()
    // Only now: the libraries of the chain are large, and few servers take payments.
    const { openPayments } = await import('../payments/index.ts')
    this.#payments = await openPayments({
      settings: setup.payments,
      ledger,
      now,
      onFailure: failure => onNotice(`asof: payments: ${paymentFailureText(failure)}`),
      regions,
    })
    return this.#payments
  }

  async act(name: PaymentActName, input: unknown): Promise<object> {
    const ledger = await this.#opened()
    return await paymentActs[name].perform({ ledger, reconcile: () => this.#reconcile(ledger) }, input)
  }

  /** Hands out all payments of some days until the signal aborts. */
  async export(
    days: PaymentDays,
    onPayment: (payment: object) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    if (this.#exists()) await exportPayments(await this.#opened(), days, onPayment, signal)
  }

  /** Copies what there is into another data folder. */
  async copyTo(dir: string): Promise<void> {
    if (this.#exists()) await (await this.#opened()).copyTo(paymentsDir(dir))
  }

  async close(): Promise<void> {
    await this.#payments?.close()
    await (await this.#ledger)?.close()
  }

  async #reconcile(ledger: PaymentLedger): Promise<SweepReport> {
    if (this.#payments) return await this.#payments.reconcile()
    const { setup, now } = this.#options
    const { reconcileOnce } = await import('../payments/index.ts')
    if (!setup) throw new ServiceError('invalid_request', 'Payments are not set up: there is no node to ask.')
    return await reconcileOnce(ledger, setup.payments, now)
  }

  async #regions({ geo }: PaymentSetup): Promise<RegionSource> {
    if (geo.off) {
      this.#options.onNotice('asof: payments: every region is served, because geo_block (ASOF_GEO_BLOCK) is off')
      return 'off'
    }
    const { mmdb, headers } = geo
    if (mmdb !== undefined) return { locate: await openedGeoDatabase(mmdb), ...(headers && { headers }) }
    if (headers) return { headers }
    throw new UsageError(
      'payments are not offered in every region, and nothing says where a caller is: set geo_mmdb (ASOF_GEO_MMDB), or geo_country_header and geo_region_header (ASOF_GEO_COUNTRY_HEADER, ASOF_GEO_REGION_HEADER), or geo_block (ASOF_GEO_BLOCK) to off to serve everywhere',
    )
  }

  #exists(): boolean {
    return this.#ledger !== undefined || existsSync(paymentsDir(this.#options.dir))
  }

  #opened(): Promise<PaymentLedger> {
    this.#ledger ??= PaymentLedger.open(paymentsDir(this.#options.dir)).catch((error: unknown) => {
      // The next call tries again.
      this.#ledger = undefined
      throw error
    })
    return this.#ledger
  }
}
