import { isAsofError } from '@asof/core'
import { ServiceError } from '../../index.ts'
import type { Payer } from '../charged-calls.ts'
import type { Reservation } from '../ledger.ts'
import type { Agent } from './agents.ts'
import type { Grants } from './grants.ts'
import type { Plan } from './plan.ts'

const RETRY_SECONDS = 1

/** Replaces a failure to read or write the ledger by the answer of spec part 7: 503, nothing charged. */
async function confirmed<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (cause) {
    if (!isAsofError(cause)) throw cause
    throw new ServiceError(
      'allowance_unconfirmed',
      'The calls left in the plan could not be confirmed. Nothing was charged.',
      {
        cause,
        retryAfterSeconds: RETRY_SECONDS,
      },
    )
  }
}

/** Returns the payer of an agent's calls. Each is charged to one of its plans. */
export function planPayer(grants: Grants, agent: Agent, plans: readonly Plan[]): Payer {
  return {
    client: agent.id,
    zdr: false,
    wizards: false,
    weeksInFilters: true,
    reserve: async service => {
      const reservation: Reservation = await confirmed(grants.reserve(agent, service, plans))
      return {
        settle: sku => confirmed(reservation.settle(sku)),
        refund: () => confirmed(reservation.refund()),
        release: () => reservation.release(),
      }
    },
  }
}
