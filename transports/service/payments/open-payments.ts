import { loadOptional, type OptionalPackages } from '@asof/core'
import type { PaymentLedger } from './payment-ledger.ts'
import type { PaymentSettings } from './payment-settings.ts'
import type { PaymentParts, Payments } from './payments.ts'
import type { SweepReport } from './reconciler.ts'

export const paymentPackages: OptionalPackages = {
  feature: 'Taking payments',
  install: ['viem@2', '@x402/evm@2', 'tiny-secp256k1@2'],
}

/** Loads what reads and writes the chain, which is large: at the first use, and never without payments. */
async function loadChainPackages(): Promise<void> {
  await loadOptional(paymentPackages, () =>
    Promise.all([import('viem'), import('@x402/evm'), import('tiny-secp256k1')]),
  )
}

/**
 * Starts taking payments.
 *
 * @throws TypeError - `regions` names no source, or headers without one for the subdivision.
 * @throws ServiceError invalid_request - the node or facilitator answered, and no payment could ever be good. A node or
 *   facilitator that does not answer is reported to `onFailure`, and asked again at the first payment.
 * @throws ASOF_INVALID_OPTION - a part that is unknown, missing or of another type.
 * @throws ASOF_PACKAGE_MISSING - viem, @x402/evm or tiny-secp256k1 is not installed.
 */
export async function openPayments(parts: PaymentParts): Promise<Payments> {
  await loadChainPackages()
  const { startPayments } = await import('./payments.ts')
  return await startPayments(parts)
}

/**
 * Asks the chain about the payments in doubt, once, while no server takes payments.
 *
 * @throws ServiceError payments_unavailable - no node is set, or it does not answer.
 * @throws ASOF_PACKAGE_MISSING - viem, @x402/evm or tiny-secp256k1 is not installed.
 */
export async function reconcileOnce(
  ledger: PaymentLedger,
  settings: Pick<PaymentSettings, 'rpcUrl' | 'confirmations'>,
  now: () => number,
): Promise<SweepReport> {
  await loadChainPackages()
  const { reconcileWithNode } = await import('./reconcile-once.ts')
  return await reconcileWithNode(ledger, settings, now)
}
