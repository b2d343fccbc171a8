import type { CallKind } from '../../contract/sku.ts'
import type { Plan } from './plan.ts'

/** Identifies the payment for a grant. Each payment buys one grant. */
export interface GrantPayment {
  /** How the plan was paid. `operator`: an operator gave it away. */
  method: 'operator' | 'x402' | 'mpp' | 'card'
  /** The id of the transfer, card payment or order. It is unique within its method and has no slashes. */
  reference: string
}

/**
 * A plan that an agent has, with the terms at the time of purchase. Its calls are charged to the ledger account with
 * its id.
 */
export interface Grant {
  id: string
  /** The id of the agent. */
  agent: string
  /** The id of the plan. */
  plan: string
  kind: Plan['kind']
  /** The kinds of calls that the plan covers. */
  services: readonly CallKind[]
  /** Number of included calls. */
  units: number
  /** Maximum number of requests per second. */
  ratePerSecond: number
  /** Epoch ms. */
  startsAt: number
  /** A subscription is valid before this instant, epoch ms. Undefined for a pack. */
  endsAt?: number
  /** The payment that bought it. */
  payment: GrantPayment
  /** When the grant was taken back because of a refund, epoch ms. */
  refundedAt?: number
}

/** Maximum number of grants of one agent, including those without calls left. */
export const MAX_GRANTS = 1_000

/**
 * Maximum number of grants that are read. An agent may have more than {@link MAX_GRANTS}, because it can reach that
 * limit while it is paying for others.
 */
export const MAX_LISTED_GRANTS = 2 * MAX_GRANTS
