import { loadOptional, type OptionalPackages } from '@asof/core'
import type { Payments } from '../payments/index.ts'
import type { CardSettings, CardSettlement } from './card-settlement.ts'
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
  /** Needs `mpp`, whose challenges offer it. Default: plans are not sold by card. */
  card?: CardSettings
  /** The current time, epoch ms. */
  now: () => number
}

export const mppPackages: OptionalPackages = { feature: 'Selling plans over MPP', install: ['mppx@0.11'] }
export const cardPackages: OptionalPackages = { feature: 'Selling plans by card', install: ['stripe@23'] }

/**
 * Starts selling plans.
 *
 * @throws ASOF_PACKAGE_MISSING - mppx or stripe is needed and not installed.
 * @throws TypeError - `card` is set without `mpp`.
 */
export async function openPurchases({ payments, mpp, card, ...parts }: PurchaseOptions): Promise<Purchases> {
  const settlements: Settlement[] = [new X402Settlement(payments)]
  let cards: CardSettlement | undefined
  if (card && !mpp) throw new TypeError('mpp: is required to sell plans by card')
  if (mpp) {
    await loadOptional(mppPackages, () => import('mppx/server'))
    const { MppSettlement } = await import('./mpp-settlement.ts')
    settlements.push(new MppSettlement(payments, mpp))
    if (card) {
      await loadOptional(cardPackages, () => import('stripe'))
      const { CardSettlement } = await import('./card-settlement.ts')
      cards = new CardSettlement(card, mpp)
      settlements.push(cards)
    }
  }
  return new Purchases({ ...parts, settlements, ...(cards && { cards }) })
}
