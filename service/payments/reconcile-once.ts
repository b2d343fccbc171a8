import { Chain, clientOf } from './chain.ts'
import type { PaymentLedger } from './payment-ledger.ts'
import type { PaymentSettings } from './payment-settings.ts'
import { Reconciler, type SweepReport } from './reconciler.ts'
import { paymentsUnavailable } from './settler.ts'

/** See `reconcileOnce`, which loads this file once its packages are known to be installed. */
export async function reconcileWithNode(
  ledger: PaymentLedger,
  { rpcUrl, confirmations }: Pick<PaymentSettings, 'rpcUrl' | 'confirmations'>,
  now: () => number,
): Promise<SweepReport> {
  const reconciler = new Reconciler(ledger, new Chain(clientOf(rpcUrl), confirmations), now)
  try {
    return await reconciler.sweep()
  } catch (cause) {
    throw paymentsUnavailable(cause)
  }
}
