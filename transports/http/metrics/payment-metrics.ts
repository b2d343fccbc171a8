import { Counter, type Registry } from '@prometheus-io/client'
import type { PaymentCount, PaymentTally } from '../../service/payments/index.ts'

/** What becomes of payments, in the text format of Prometheus: read from the tally whenever the figures are. */
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
  add('asof_payments_total', 'Payments that came to a state.', ['state'], () => tally.states)
  add(
    'asof_payments_settled_amount_total',
    "What was settled, in the token's smallest unit.",
    ['network', 'asset'],
    () => tally.settledAmounts,
  )
  add('asof_payments_refused_total', 'Payments not found good.', ['reason'], () => tally.refusals)
  add(
    'asof_payments_unsettled_total',
    'Payments that failed or became unknown.',
    ['state', 'reason'],
    () => tally.failures,
  )
}
