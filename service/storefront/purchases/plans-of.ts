import type { Access } from '../../accounts/index.ts'
import type { PlanSales } from './plan-sales.ts'

/** The sales of the plans of the accounts. */
export function plansOf(access: Access): PlanSales {
  return {
    plan: id => access.plans.find(plan => plan.id === id),
    checkRoom: agent => access.checkRoom({ id: agent }),
    isUsable: payment => access.isUsable(payment),
    grant: (agent, plan, payment) => access.grantPlan('purchase', { id: agent }, plan, payment),
    refund: payment => access.refundPlan('refund', payment),
  }
}
