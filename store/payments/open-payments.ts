import { loadOptional, type OptionalPackages } from '@asof/extract/errors'
import type { PaymentLedger } from './payment-ledger.ts'
import type { PaymentSettings } from './payment-settings.ts'
import type { PaymentParts, Payments } from './payments.ts'
import type { SweepReport } from './reconciler.ts'

export const paymentPackages: OptionalPackages = {
  feature: 'Taking payments',
  install: ['viem@2.57.1', '@x402/evm@2', 'tiny-secp256k1@2'],
}

/** Loads the libraries for chains. They are large, so a process without payments does not load them. */
async function loadChainPackages(): Promise<void> {
  await loadOptional(paymentPackages, () =>
    Promise.all([import('viem'), import('@x402/evm'), import('tiny-secp256k1')]),
  )
}

/**
 * Starts taking payments.
 *
 * @throws TypeError - `regions` has no source of locations, or no header for the subdivision.
 * @throws ServiceError invalid_request - according to the node, no payment could ever settle. If the node or the facilitator
 *   does not answer, `onFailure` is called instead, and the check is repeated before payments are offered.
 * @throws ASOF_INVALID_OPTION - a part is unknown, missing or of another type.
 * @throws ASOF_PACKAGE_MISSING - viem, @x402/evm or tiny-secp256k1 is not installed.
 */
export async function openPayments(parts: PaymentParts): Promise<Payments> {
  await loadChainPackages()
  const { startPayments } = await import('./payments.ts')
  return await startPayments(parts)
}

/**
 * Asks the chain once about the undecided payments, in a process that does not take payments.
 *
 * @throws ServiceError payments_unavailable - the node does not answer.
 * @throws ASOF_PACKAGE_MISSING - viem, @x402/evm or tiny-secp256k1 is not installed.
 */
export async function reconcileOnce(
  ledger: PaymentLedger,
  settings: Pick<PaymentSettings, 'rpcUrl' | 'confirmations'>,
  now: () => number,
): Promise<SweepReport> {
  await loadChainPackages()
  const { reconcileWithNode } = await import('./reconciler.ts')
  return await reconcileWithNode(ledger, settings, now)
}
