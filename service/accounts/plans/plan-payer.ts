import { isAsofError } from '@asof/core'
import { ServiceError } from '../../contract/errors.ts'
import type { Payer } from '../charged-calls.ts'
import type { Hold } from '../ledger.ts'
import type { Agent } from './agents.ts'
import type { Grants } from './grants.ts'
import type { Plan } from './plan.ts'

const RETRY_SECONDS = 1

/** True for failures to read or write the ledger, and for a unit that was lost in a failed write after it was held. */
function isOfLedger(failure: unknown): boolean {
  return isAsofError(failure) || (failure instanceof ServiceError && failure.kind === 'insufficient_credits')
}

/**
 * Waits for a result from the ledger or from the records of agents.
 *
 * @throws ServiceError allowance_unconfirmed - they can't be read or written now (spec part 7).
 */
export async function confirmed<T>(result: Promise<T>): Promise<T> {
  try {
    return await result
  } catch (cause) {
    if (!isOfLedger(cause)) throw cause
    throw new ServiceError('allowance_unconfirmed', 'The agent or its calls left could not be confirmed; try again.', {
      cause,
      retryAfterSeconds: RETRY_SECONDS,
    })
  }
}

/** Returns the payer of an agent's calls. Each is charged to one of its plans. */
export function planPayer(grants: Grants, agent: Agent, plans: readonly Plan[]): Payer {
  return {
    client: agent.id,
    zdr: false,
    wizards: false,
    weeksInFilters: true,
    hold: async service => {
      const hold: Hold = await confirmed(grants.hold(agent, service, plans))
      return {
        capture: sku => confirmed(hold.capture(sku)),
        refund: () => confirmed(hold.refund()),
        void: () => hold.void(),
      }
    },
  }
}
