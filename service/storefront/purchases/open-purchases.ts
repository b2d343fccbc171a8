import { randomUUID } from 'node:crypto'
import { loadOptional, type OptionalPackages } from '@asof/core/internal'
import type { Payments } from '../../payments/index.ts'
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
  /** Takes the transfers of x402 and MPP. Default: plans are sold by card alone. */
  payments?: Payments
  /** How challenges are signed. Default: plans are not sold by MPP. */
  mpp?: MppSettings
  /** Needs `mpp`, since a card is charged through a challenge. Default: plans are not sold by card. */
  card?: CardSettings
  /** The current time, epoch ms. */
  now: () => number
  /** Returns a random value, another one each time, for the challenges of MPP. Default: a random UUID. */
  nonce?: () => string
  /** Called with failures that did not prevent an answer. */
  onFailure: (failure: unknown) => void
}

export const mppPackages: OptionalPackages = {
  feature: 'Selling plans over MPP',
  install: ['mppx@0.11', 'viem@2.57.1'],
}
export const cardPackages: OptionalPackages = { feature: 'Selling plans by card', install: ['stripe@23'] }

/**
 * Starts selling plans. Purchases are completed in the background until `close` is called.
 *
 * @throws ASOF_PACKAGE_MISSING - mppx or stripe is needed and not installed.
 * @throws TypeError - `card` is set without `mpp`, or neither `payments` nor `card` is set.
 */
export async function openPurchases(options: PurchaseOptions): Promise<Purchases> {
  const { payments, mpp, card, nonce = randomUUID, ...parts } = options
  const settlements: Settlement[] = payments ? [new X402Settlement(payments)] : []
  let cards: CardSettlement | undefined
  if (card && !mpp) throw new TypeError('mpp: is required to sell plans by card')
  if (!payments && !card) throw new TypeError('payments or card: one of them is required to sell plans')
  if (mpp) await loadOptional(mppPackages, () => import('mppx/server'))
  if (mpp && payments) {
    const { MppSettlement } = await import('./mpp-settlement.ts')
    settlements.push(new MppSettlement(payments, mpp, nonce))
  }
  if (mpp && card) {
    await loadOptional(cardPackages, () => import('stripe'))
    const { CardSettlement } = await import('./card-settlement.ts')
    cards = new CardSettlement(card, mpp, parts.now, nonce)
    settlements.push(cards)
  }
  const purchases = new Purchases({ ...parts, settlements, ...(cards && { cards }) })
  purchases.start()
  return purchases
}
