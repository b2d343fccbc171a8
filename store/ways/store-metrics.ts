import { Counter, type Registry } from '@prometheus-io/client'
import { addFigures } from '../../transports/http/ways/index.ts'
import type { PaymentTally } from '../payments/index.ts'
import type { Purchases } from '../purchases/index.ts'

/** Adds the metrics of payments. */
export function addPaymentMetrics(registry: Registry, tally: PaymentTally): void {
  const counter = addFigures.bind(undefined, registry, Counter)
  counter(['asof_payments_total', 'Payments that reached a state.', 'state'], () => tally.states)
  const settled = "Settled amounts, in the token's smallest unit."
  counter(['asof_payments_settled_amount_total', settled, 'network', 'asset'], () => tally.settledAmounts)
  const refused = 'Payments that were refused, by reason.'
  counter(['asof_payments_refused_total', refused, 'reason'], () => tally.refusals)
  const unsettled = 'Payments that became failed or undecided, by reason.'
  counter(['asof_payments_unsettled_total', unsettled, 'state', 'reason'], () => tally.failures)
}

/** Adds the metrics of plans that are sold. */
export function addPurchaseMetrics(registry: Registry, purchases: Purchases): void {
  addFigures(registry, Counter, ['asof_plans_sold_total', 'Plans that agents bought.', 'plan', 'method'], () =>
    purchases.sold.map(({ plan, method, plans }) => ({ labels: { plan, method }, value: plans })),
  )
}
