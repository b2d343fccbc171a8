import { loadOptional, type OptionalPackages } from '@asof/core'
import type { Payments } from '../payments/index.ts'
import type { MppSettings } from './mpp-settlement.ts'
import type { PlanSales } from './plan-sales.ts'
import type { PurchaseLedger } from './purchase-ledger.ts'
import { Purchases } from './purchases.ts'
import type { Settlement } from './settlement.ts'
import { X402Settlement } from './x402-settlement.ts'

export interface PurchaseOptions {
  sales: PlanSales
  ledger: PurchaseLedger
  /** Takes the transfers of x402 and MPP. */
  payments: Payments
  /** Default: plans are not sold by MPP. */
  mpp?: MppSettings
  /** The current time, epoch ms. */
  now: () => number
}

export const mppPackages: OptionalPackages = { feature: 'Selling plans over MPP', install: ['mppx@0.11'] }

/**
 * Starts selling plans.
 *
 * @throws ASOF_PACKAGE_MISSING - mppx is not installed.
 */
export async function openPurchases({ payments, mpp, ...parts }: PurchaseOptions): Promise<Purchases> {
  const settlements: Settlement[] = [new X402Settlement(payments)]
  if (mpp) {
    await loadOptional(mppPackages, () => import('mppx/server'))
    const { MppSettlement } = await import('./mpp-settlement.ts')
    settlements.push(new MppSettlement(payments, mpp))
  }
  return new Purchases({ ...parts, settlements })
}
