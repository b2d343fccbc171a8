import { ServiceError } from '../../contract/errors.ts'
import type { CallKind } from '../../contract/sku.ts'
import type { AccountReads, AccountStore } from '../account-store.ts'
import type { Hold } from '../ledger.ts'
import { newId } from '../record-id.ts'
import type { Agent } from './agent.ts'
import { type Grant, type GrantPayment, MAX_GRANTS } from './grant.ts'
import { type Plan, shownPlan } from './plan.ts'

const DAY_MS = 86_400_000

/** A grant, and what is left of it. */
export interface GrantStanding {
  grant: Grant
  /** Number of calls left, those included that are running. */
  unitsLeft: number
  /** Number of calls that can begin. */
  available: number
}

async function standingsOf(accounts: AccountReads, grants: readonly Grant[]): Promise<GrantStanding[]> {
  // The allowance of an organization is none of a grant.
  const standings = await accounts.standings(grants.map(({ id }) => ({ id })))
  return standings.flatMap(({ balance, available }, i) => {
    const grant = grants[i]
    return grant ? [{ grant, unitsLeft: balance, available }] : []
  })
}

/**
 * Returns a sentence on how an agent can get a plan.
 *
 * @param covering - number of plans for sale that cover the agent's call.
 * @param offered - number of these plans that the agent can get.
 */
function wayToPlan(covering: number, offered: number): string {
  if (covering === 0) return 'None is for sale here; ask the operator of this server for one.'
  return offered > 0
    ? 'Buy one of `plans`.'
    : `It has ${MAX_GRANTS} plans and can get no further one; register another agent.`
}

/** Returns the error for a call of a kind that no grant of an agent covers. */
function planRequired(grants: number, kind: CallKind, plans: readonly Plan[]): ServiceError {
  // Any of these plans would begin at once, because the agent has no current period with calls left.
  const covering = plans.filter(plan => plan.services.includes(kind))
  const offered = grants < MAX_GRANTS ? covering.map(shownPlan) : []
  return new ServiceError(
    'plan_required',
    `This agent has no plan with calls left for ${kind}. ${wayToPlan(covering.length, offered.length)}`,
    { facts: { code: 'plan_required', plans: offered } },
  )
}

/** The plans that agents have, and the charges to them. */
export class Grants {
  readonly #store: AccountStore
  readonly #now: () => number

  constructor(store: AccountStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** Lists the grants of an agent, oldest first, with what is left of each. */
  async of(agent: string): Promise<GrantStanding[]> {
    return await standingsOf(this.#store, await this.#store.grantsOf(agent))
  }

  /** Returns the number of calls left in a grant. */
  async unitsLeft({ id }: Grant): Promise<number> {
    const [standing] = await this.#store.standings([{ id }])
    return standing?.balance ?? 0
  }

  /**
   * Rejects an agent that has as many plans as it can have.
   *
   * @throws ServiceError invalid_request
   */
  async checkRoom({ id: agent }: Pick<Agent, 'id'>): Promise<void> {
    if ((await this.#store.grantsOf(agent)).length >= MAX_GRANTS) {
      throw new ServiceError('invalid_request', `An agent can have ${MAX_GRANTS} plans; register another agent.`)
    }
  }

  /** True if a grant has calls left, has not ended and was not taken back. Its period may begin later. */
  async isUsable(grant: Grant): Promise<boolean> {
    const { endsAt = Number.POSITIVE_INFINITY, refundedAt } = grant
    return refundedAt === undefined && this.#now() < endsAt && (await this.unitsLeft(grant)) > 0
  }

  /**
   * Grants a plan to an agent, once for each payment. A subscription begins at once. But if the agent has calls left in
   * periods of the same subscription, the new period begins after those. The grant and its units are on disk, together,
   * when this resolves. Does not limit the number of grants, because a paid plan must be granted; see
   * {@link checkRoom}.
   *
   * @returns the grant of this payment, which may be from an earlier call.
   * @throws ServiceError invalid_request - the payment was used for another agent or plan.
   */
  grant(actor: string, { id: agent }: Pick<Agent, 'id'>, plan: Plan, payment: GrantPayment): Promise<Grant> {
    return this.#store.change(agent, async accounts => {
      const before = await accounts.grantOfPayment(payment)
      if (before?.agent === agent && before.plan === plan.id) return { result: before }
      if (before) throw new ServiceError('invalid_request', 'This payment was used for another purchase.')
      const now = this.#now()
      const begins = plan.kind === 'subscription' ? await this.#coveredUntil(accounts, agent, plan) : now
      const grant: Grant = {
        id: newId('grant', now),
        agent,
        plan: plan.id,
        kind: plan.kind,
        services: plan.services,
        units: plan.units,
        ratePerSecond: plan.rate_per_second,
        startsAt: begins,
        endsAt: plan.period_days === undefined ? undefined : begins + plan.period_days * DAY_MS,
        payment,
      }
      const facts = { plan: plan.id, units: plan.units, method: payment.method, reference: payment.reference }
      return {
        result: grant,
        act: {
          purchase: { account: grant.id, credits: plan.units },
          grant,
          audit: { at: now, actor, act: 'plan.grant', target: agent, facts },
        },
      }
    })
  }

  /**
   * Takes back a grant because its payment is refunded. Moves no money. Does nothing if it was taken back already.
   *
   * @param options.evenIfUsed - true to take back a grant even if calls were charged to it.
   * @throws ServiceError not_found
   * @throws ServiceError invalid_request - a call was charged to the grant, or is running.
   */
  refund(actor: string, agent: string, id: string, { evenIfUsed = false } = {}): Promise<Grant> {
    return this.#store.change(agent, async accounts => {
      const grant = (await accounts.grantsOf(agent)).find(grant => grant.id === id)
      if (!grant) throw new ServiceError('not_found', `The agent has no grant ${id}.`)
      if (grant.refundedAt !== undefined) return { result: grant }
      const [standing] = await accounts.standings([{ id }])
      const units = standing?.balance ?? 0
      if (!evenIfUsed && units < grant.units)
        throw new ServiceError(
          'invalid_request',
          'Calls were charged to this plan. Only an unused plan can be given back.',
        )
      const at = this.#now()
      const refunded: Grant = { ...grant, refundedAt: at }
      const { method, reference } = grant.payment
      const facts = { grant: id, plan: grant.plan, units, method, reference }
      return {
        result: refunded,
        act: { takeBack: id, grant: refunded, audit: { at, actor, act: 'plan.refund', target: agent, facts } },
      }
    })
  }

  /** Returns the grant that a payment bought; undefined if there is none. */
  ofPayment(payment: GrantPayment): Promise<Grant | undefined> {
    return this.#store.grantOfPayment(payment)
  }

  /** Returns how many calls per second the valid grants of an agent allow; undefined if there are none. */
  async rateOf(agent: string): Promise<number | undefined> {
    const usable = (await this.of(agent)).filter(({ grant, unitsLeft }) => unitsLeft > 0 && this.#isValid(grant))
    const rates = usable.map(({ grant }) => grant.ratePerSecond)
    return rates.length === 0 ? undefined : Math.max(...rates)
  }

  /**
   * Holds a unit for a call of one kind, from the valid grant that ends first.
   *
   * @param plans - the plans for sale, of which the error lists those that cover the kind.
   * @throws ServiceError plan_required - no valid grant of the agent covers the kind and has calls left.
   */
  async hold({ id }: Agent, kind: CallKind, plans: readonly Plan[]): Promise<Hold> {
    for (;;) {
      const grant = await this.#usable(id, kind, plans)
      try {
        return await this.#store.ledger.hold({ id: grant.id }, id)
      } catch (error) {
        // Another call has taken the last unit since the grant was chosen, so each turn of the loop ends a grant.
        if (!(error instanceof ServiceError) || error.kind !== 'insufficient_credits') throw error
      }
    }
  }

  /**
   * Rejects a call that no grant of the agent covers. Holds nothing.
   *
   * @throws ServiceError plan_required
   */
  async check({ id }: Agent, kind: CallKind, plans: readonly Plan[]): Promise<void> {
    await this.#usable(id, kind, plans)
  }

  async #usable(agent: string, kind: CallKind, plans: readonly Plan[]): Promise<Grant> {
    const grants = await this.of(agent)
    const usable = grants.filter(
      ({ grant, available }) => available > 0 && grant.services.includes(kind) && this.#isValid(grant),
    )
    const end = ({ grant: { endsAt = Number.POSITIVE_INFINITY } }: GrantStanding) => endsAt
    const [first] = usable.sort((a, b) => (end(a) === end(b) ? 0 : end(a) - end(b)))
    if (first) return first.grant
    throw planRequired(grants.length, kind, plans)
  }

  /**
   * Returns when the agent's consecutive periods of a subscription end, beginning with the current one. Only periods
   * with calls left count; running calls count as charged. Returns now if there is no such period.
   */
  async #coveredUntil(accounts: AccountReads, agent: string, plan: Plan): Promise<number> {
    let until = this.#now()
    const periods = (await standingsOf(accounts, await accounts.grantsOf(agent)))
      .filter(
        ({ grant, available }) =>
          grant.plan === plan.id && plan.services.every(service => grant.services.includes(service)) && available > 0,
      )
      .map(({ grant }) => grant)
    for (const { startsAt, endsAt = until } of periods.sort((a, b) => a.startsAt - b.startsAt)) {
      if (startsAt <= until && endsAt > until) until = endsAt
    }
    return until
  }

  /**
   * True if a grant was not taken back and is in its period. A pack has no period, so it is valid even if the clock is
   * set back.
   */
  #isValid({ kind, startsAt, endsAt = Number.POSITIVE_INFINITY, refundedAt }: Grant): boolean {
    if (refundedAt !== undefined) return false
    const now = this.#now()
    return kind === 'pack' || (startsAt <= now && now < endsAt)
  }
}
