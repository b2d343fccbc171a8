import { Counter, type Registry } from '@prometheus-io/client'
import type { Purchases } from '../../../service/storefront/purchases/index.ts'

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
