import type { Access, Plan } from '../../accounts/index.ts'

/** The methods by which a plan can be bought. */
export type MethodName = 'x402' | 'mpp' | 'card'

/** The payment for a plan. */
export interface PlanPayment {
  method: MethodName
  /** Unique for its method; without slashes. */
  reference: string
}

/** A plan that an agent has bought. */
export interface BoughtPlan {
  id: string
  units: number
  /** Epoch ms. */
  startsAt: number
  /** Epoch ms. Absent if it does not end. */
  endsAt?: number
}

/** The plans for sale. */
export interface PlanSales {
  /** Returns the plan with an id, or `undefined` if it is not for sale. */
  plan(id: string): Plan | undefined
  /**
   * Refuses an agent that can't get another plan, before it pays.
   *
   * @param agent - the id of the agent.
   * @throws ServiceError invalid_request
   */
  checkRoom(agent: string): Promise<void>
  /** Returns true if the plan that a payment bought has calls left, has not ended and was not refunded. */
  isUsable(payment: PlanPayment): boolean
  /**
   * Gives a plan to an agent, once for each payment; the same payment gets the same result again. It is on disk when this
   * resolves. A plan that was paid is never refused for want of room.
   *
   * @param agent - the id of the agent.
   * @throws ServiceError invalid_request - the payment bought something else.
   */
  grant(agent: string, plan: Plan, payment: PlanPayment): Promise<BoughtPlan>
  /** Takes back the remaining calls of the plan that a payment bought, because it was refunded. */
  refund(payment: PlanPayment): Promise<void>
}

/** Returns the sales of the plans of the accounts. */
export function plansOf(access: Access): PlanSales {
  return {
    plan: id => access.plans.find(plan => plan.id === id),
    checkRoom: agent => access.checkRoom({ id: agent }),
    isUsable: payment => access.isUsable(payment),
    grant: (agent, plan, payment) => access.grantPlan('purchase', { id: agent }, plan, payment),
    refund: payment => access.refundPlan('refund', payment),
  }
}
