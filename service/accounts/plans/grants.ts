import { LRUCache } from 'lru-cache'
import PQueue from 'p-queue'
import { ServiceError } from '../../contract/errors.ts'
import type { Journal } from '../../records/journal.ts'
import { accountKeys, newId } from '../account-keys.ts'
import type { AuditLog } from '../audit-log.ts'
import type { Hold, Ledger } from '../ledger.ts'
import type { Agent } from './agents.ts'
import { type CallKind, type Plan, shownPlan } from './plan.ts'

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
  agent: string
  /** The id of the plan. */
  plan: string
  kind: Plan['kind']
  services: readonly CallKind[]
  units: number
  ratePerSecond: number
  /** Epoch ms. */
  startsAt: number
  /** A subscription is valid before this instant, epoch ms. Undefined for a pack. */
  endsAt?: number
  payment: GrantPayment
  /** When the grant was taken back because of a refund, epoch ms. */
  refundedAt?: number
}

const DAY_MS = 86_400_000
/** Maximum number of grants of one agent, including those without calls left. */
const MAX_GRANTS = 1_000
/**
 * Maximum number of grants that are read. An agent may have more than {@link MAX_GRANTS}, because it can reach that
 * limit while it is paying for others.
 */
const MAX_LISTED = 2 * MAX_GRANTS
const CACHED_AGENTS = 10_000

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

/** The plans that agents have, and the charges to them. */
export class Grants {
  readonly #journal: Journal
  readonly #audit: AuditLog
  readonly #ledger: Ledger
  readonly #now: () => number
  readonly #byAgent = new LRUCache<string, readonly Grant[]>({ max: CACHED_AGENTS })
  /** Number of changes so far. A list that was read during a change is not cached. */
  #changed = 0
  readonly #changes = new PQueue({ concurrency: 1 })

  constructor(parts: { journal: Journal; audit: AuditLog; ledger: Ledger; now: () => number }) {
    this.#journal = parts.journal
    this.#audit = parts.audit
    this.#ledger = parts.ledger
    this.#now = parts.now
  }

  /** Drops cached grants after a failed write, so that they are read from disk again. */
  reload(): void {
    this.#changed++
    this.#byAgent.clear()
  }

  /** Lists the grants of an agent, oldest first. */
  async of(agent: string): Promise<readonly Grant[]> {
    const cached = this.#byAgent.get(agent)
    if (cached) return cached
    const changed = this.#changed
    const grants = (await this.#journal.list(accountKeys.grantsOf(agent), { limit: MAX_LISTED })) as Grant[]
    if (changed === this.#changed) this.#byAgent.set(agent, grants)
    return grants
  }

  /** Returns the number of calls left in a grant, after all charges, even those that are not on disk yet. */
  unitsLeft(grant: Grant): number {
    return this.#ledger.balance(grant.id)
  }

  /**
   * Rejects an agent that has as many plans as it can have.
   *
   * @throws ServiceError invalid_request
   */
  async checkRoom({ id: agent }: Pick<Agent, 'id'>): Promise<void> {
    if ((await this.of(agent)).length >= MAX_GRANTS) {
      throw new ServiceError('invalid_request', `An agent can have ${MAX_GRANTS} plans; register another agent.`)
    }
  }

  /** True if a grant has calls left, has not ended and was not taken back. Its period may begin later. */
  isUsable(grant: Grant): boolean {
    const { endsAt = Number.POSITIVE_INFINITY, refundedAt } = grant
    return refundedAt === undefined && this.#now() < endsAt && this.unitsLeft(grant) > 0
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
    return this.#changes.add(async () => {
      const before = this.ofPayment(payment)
      if (before?.agent === agent && before.plan === plan.id) return before
      if (before) throw new ServiceError('invalid_request', 'This payment was used for another purchase.')
      const grants = await this.of(agent)
      const now = this.#now()
      const begins = plan.kind === 'subscription' ? this.#coveredUntil(grants, plan) : now
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
      await this.#ledger.purchase(grant, plan.units, [
        [accountKeys.grant(agent, grant.id), grant],
        [accountKeys.grantPayment(payment.method, payment.reference), grant],
        this.#audit.write({ at: now, actor, act: 'plan.grant', target: agent, facts }),
      ])
      this.#changed++
      this.#byAgent.set(agent, [...grants, grant])
      return grant
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
    return this.#changes.add(async () => {
      const grants = await this.of(agent)
      const grant = grants.find(grant => grant.id === id)
      if (!grant) throw new ServiceError('not_found', `The agent has no grant ${id}.`)
      if (grant.refundedAt !== undefined) return grant
      if (!evenIfUsed && this.unitsLeft(grant) < grant.units)
        throw new ServiceError(
          'invalid_request',
          'Calls were charged to this plan. Only an unused plan can be given back.',
        )
      const at = this.#now()
      const refunded: Grant = { ...grant, refundedAt: at }
      const { method, reference } = grant.payment
      const facts = { grant: id, plan: grant.plan, units: this.unitsLeft(grant), method, reference }
      await this.#ledger.takeBack(grant, [
        [accountKeys.grant(agent, id), refunded],
        [accountKeys.grantPayment(method, reference), refunded],
        this.#audit.write({ at, actor, act: 'plan.refund', target: agent, facts }),
      ])
      this.#changed++
      this.#byAgent.set(
        agent,
        grants.map(grant => (grant.id === id ? refunded : grant)),
      )
      return refunded
    })
  }

  /** Returns the grant that a payment bought; undefined if there is none. */
  ofPayment({ method, reference }: GrantPayment): Grant | undefined {
    return this.#journal.read(accountKeys.grantPayment(method, reference)) as Grant | undefined
  }

  /** Returns how many calls per second the valid grants of an agent allow; undefined if there are none. */
  async rateOf(agent: string): Promise<number | undefined> {
    const usable = (await this.of(agent)).filter(grant => this.#isValid(grant) && this.unitsLeft(grant) > 0)
    const rates = usable.map(grant => grant.ratePerSecond)
    return rates.length === 0 ? undefined : Math.max(...rates)
  }

  /**
   * Holds a unit for a call of one kind, from the valid grant that ends first.
   *
   * @param plans - the plans for sale, of which the error lists those that cover the kind.
   * @throws ServiceError plan_required - no valid grant of the agent covers the kind and has calls left.
   */
  async hold({ id }: Agent, kind: CallKind, plans: readonly Plan[]): Promise<Hold> {
    const grants = await this.of(id)
    // Nothing is awaited between choosing and holding, so no other call can take the unit.
    return this.#ledger.hold(this.#usable(grants, kind, plans), id)
  }

  /**
   * Rejects a call that no grant of the agent covers. Holds nothing.
   *
   * @throws ServiceError plan_required
   */
  async check({ id }: Agent, kind: CallKind, plans: readonly Plan[]): Promise<void> {
    this.#usable(await this.of(id), kind, plans)
  }

  #usable(grants: readonly Grant[], kind: CallKind, plans: readonly Plan[]): Grant {
    const usable = grants.filter(
      grant => grant.services.includes(kind) && this.#isValid(grant) && this.#ledger.available(grant) > 0,
    )
    const end = ({ endsAt = Number.POSITIVE_INFINITY }: Grant) => endsAt
    const [grant] = usable.sort((a, b) => (end(a) === end(b) ? 0 : end(a) - end(b)))
    if (grant) return grant
    // Any of these plans would begin at once, because the agent has no current period with calls left.
    const covering = plans.filter(plan => plan.services.includes(kind))
    const offered = grants.length < MAX_GRANTS ? covering.map(shownPlan) : []
    throw new ServiceError(
      'plan_required',
      `This agent has no plan with calls left for ${kind}. ${wayToPlan(covering.length, offered.length)}`,
      { facts: { code: 'plan_required', plans: offered } },
    )
  }

  /**
   * Returns when the agent's consecutive periods of a subscription end, beginning with the current one. Only periods
   * with calls left count; running calls count as charged. Returns now if there is no such period.
   */
  #coveredUntil(grants: readonly Grant[], plan: Plan): number {
    let until = this.#now()
    const periods = grants.filter(
      grant =>
        grant.plan === plan.id &&
        plan.services.every(service => grant.services.includes(service)) &&
        this.#ledger.available(grant) > 0,
    )
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
