import { Counter, type Registry } from '@prometheus-io/client'
import type { PaymentCount, PaymentTally } from '../../../service/payments/index.ts'
import type { Purchases } from '../../../service/storefront/purchases/index.ts'

/** Adds the metrics of payments. They are read from the tally whenever the metrics are read. */
export function addPaymentMetrics(registry: Registry, tally: PaymentTally): void {
  function add(name: string, help: string, labelNames: string[], read: () => PaymentCount[]): void {
    new Counter({
      ...{ name, help, labelNames },
      registers: [registry],
      collect() {
        this.reset()
        for (const { labels, value } of read()) this.inc(labels, value)
      },
    })
  }
  add('asof_payments_total', 'Payments that reached a state.', ['state'], () => tally.states)
  add(
    'asof_payments_settled_amount_total',
    "Settled amounts, in the token's smallest unit.",
    ['network', 'asset'],
    () => tally.settledAmounts,
  )
  add('asof_payments_refused_total', 'Payments that were refused, by reason.', ['reason'], () => tally.refusals)
  add(
    'asof_payments_unsettled_total',
    'Payments that became failed or undecided, by reason.',
    ['state', 'reason'],
    () => tally.failures,
  )
}

/** Adds the metrics of plans that are sold. They are read whenever the metrics are read. */
export function addPurchaseMetrics(registry: Registry, purchases: Purchases): void {
  new Counter({
    name: 'asof_plans_sold_total',
    help: 'Plans that agents bought.',
    labelNames: ['plan', 'method'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { plan, method, plans } of purchases.sold) this.inc({ plan, method }, plans)
    },
  })
}
