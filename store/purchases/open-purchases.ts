import { randomUUID } from 'node:crypto'
import { loadOptional, type OptionalPackages } from '@asof/extract/errors'
import type { Payments } from '../payments/index.ts'
import type { CardMethod, CardSettings } from './card-method.ts'
import type { MppSettings } from './mpp-method.ts'
import type { PaymentMethod } from './payment-method.ts'
import type { PlanAccess } from './purchase.ts'
import type { PurchaseLedger } from './purchase-ledger.ts'
import { Purchases } from './purchases.ts'
import { X402Method } from './x402-method.ts'

/** How plans are sold: by x402 and MPP with `payments`, by card with `card`. At least one of them is required. */
export interface PurchaseOptions {
  /** The accounts in which plans are granted, such as `Access` of `asof/accounts`. */
  access: PlanAccess
  /** Where purchases are stored, such as {@link LevelPurchases}. It stays open when the purchases are closed. */
  ledger: PurchaseLedger
  /** Takes the transfers of x402 and MPP. Default: plans are sold by card alone. */
  payments?: Payments
  /** Default: plans are not sold by MPP (Machine Payments Protocol). */
  mpp?: MppSettings
  /** Requires `mpp`, since a card payment answers a challenge of MPP. Default: plans are not sold by card. */
  card?: CardSettings
  /** The current time, epoch ms. */
  now: () => number
  /** Returns a new random value at each call, for the challenges of MPP. Default: a random UUID. */
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
  const methods: PaymentMethod[] = payments ? [new X402Method(payments)] : []
  let cards: CardMethod | undefined
  if (card && !mpp) throw new TypeError('mpp: is required to sell plans by card')
  if (!payments && !card) throw new TypeError('payments or card: one of them is required to sell plans')
  if (mpp) await loadOptional(mppPackages, () => import('mppx/server'))
  if (mpp && payments) {
    const { MppMethod } = await import('./mpp-method.ts')
    methods.push(new MppMethod(payments, mpp, nonce))
  }
  if (mpp && card) {
    await loadOptional(cardPackages, () => import('stripe'))
    const { CardMethod } = await import('./card-method.ts')
    cards = new CardMethod(card, mpp, parts.now, nonce)
    methods.push(cards)
  }
  const purchases = new Purchases({ ...parts, methods, cards })
  purchases.start()
  return purchases
}
