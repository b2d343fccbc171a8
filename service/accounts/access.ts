import { isAsofError } from '@asof/core'
import { optionsReader } from '@asof/extract/errors'
import type { SharedDatabase } from '../../database/index.ts'
import { ServiceError } from '../contract/errors.ts'
import type { CallKind } from '../contract/sku.ts'
import type { CreateWindow } from '../fair-shares/window-counts.ts'
import type { JournalSnapshot } from '../records/journal.ts'
import type { AccountStore } from './account-store.ts'
import { type AccountParts, adminActs } from './admin-acts.ts'
import { shownGrant } from './admin-answers.ts'
import type { AdminActName, AdminAnswer } from './admin-schemas.ts'
import type { AuditRecord } from './audit-record.ts'
import { Authentication, type Caller, type Identified } from './authentication.ts'
import type { BillingAccount } from './charged-calls.ts'
import { Directory } from './directory.ts'
import type { Hold } from './ledger.ts'
import { LevelAccounts } from './level/level-accounts.ts'
import type { Agent } from './plans/agent.ts'
import { Agents } from './plans/agents.ts'
import type { Grant, GrantPayment } from './plans/grant.ts'
import { Grants } from './plans/grants.ts'
import { defaultPlans, type Plan } from './plans/plan.ts'
import { PostgresAccounts } from './postgres/postgres-accounts.ts'
import { createAccountLimit, type LimitStanding } from './rate-limit.ts'

/** The options of {@link Access.open}. */
export interface AccessOptions {
  /** Returns the current time, epoch ms. */
  now: () => number
  /** The plans that agents can have. Default {@link defaultPlans}. */
  plans?: readonly Plan[]
  /** Makes the counts of rate limits, which several servers can share. Default: this process counts alone. */
  createWindow?: CreateWindow | undefined
}

const readOptions = optionsReader<AccessOptions>(
  { now: 'function', plans: 'list', createWindow: 'function' },
  { required: ['now'] },
)

const RETRY_SECONDS = 1

/** True if the ledger failed: it could not be read or written, or a failed write has lost a held unit. */
function isOfLedger(failure: unknown): boolean {
  return isAsofError(failure) || (failure instanceof ServiceError && failure.kind === 'insufficient_credits')
}

/**
 * Waits for a result from the ledger or from the records of agents.
 *
 * @throws ServiceError allowance_unconfirmed - the ledger or the records cannot be read or written now (spec part 7).
 */
async function confirmed<T>(result: Promise<T>): Promise<T> {
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

/** The accounts: authentication, rate limits, credits and administration. */
export class Access {
  readonly #store: AccountStore
  readonly #accounts: AccountParts
  readonly #authentication: Authentication
  readonly #organizationLimit: ReturnType<typeof createAccountLimit>
  readonly #agentLimit: ReturnType<typeof createAccountLimit>

  private constructor(store: AccountStore, { now, plans = defaultPlans, createWindow }: AccessOptions) {
    this.#organizationLimit = createAccountLimit('of this organization', createWindow)
    this.#agentLimit = createAccountLimit('of this agent', createWindow)
    this.#store = store
    this.#authentication = new Authentication(store)
    const directory = new Directory(store, now, () => this.#authentication.forget())
    this.#accounts = { store, directory, agents: new Agents(store, now), grants: new Grants(store, now), plans, now }
  }

  /**
   * Opens the accounts in a folder, and creates the folder if it is missing. Only one process can have them open.
   *
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   * @throws ASOF_INVALID_OPTION - an option is unknown, missing or of another type.
   */
  static async open(dir: string, options: AccessOptions): Promise<Access> {
    const given = readOptions(options)
    let access: Access | undefined
    const onLoss = () => {
      if (access) access.#forget()
    }
    access = new Access(await LevelAccounts.open(dir, { now: given.now, onLoss }), given)
    return access
  }

  /**
   * Uses the accounts in a database that other servers may use at the same time, and creates or upgrades their tables. A
   * change by another server, such as a revoked key, takes effect here within one second. The caller closes the database
   * after {@link close}.
   *
   * @throws ASOF_STORE_WRITE - the tables cannot be created, for example because the user may not.
   * @throws ASOF_STORE_FORMAT - a later version of asof made the tables.
   * @throws ASOF_INVALID_OPTION - an option is unknown, missing or of another type.
   */
  static async connect(database: SharedDatabase, options: AccessOptions): Promise<Access> {
    const given = readOptions(options)
    return new Access(await PostgresAccounts.open(database, given), given)
  }

  /**
   * Returns the organization, workspace and key that an API key stands for.
   *
   * @throws ServiceError unauthorized - the key is invalid.
   */
  identify(key: string): Promise<Identified> {
    return this.#authentication.identify(key)
  }

  /**
   * Returns the caller for an access token of an external authorization server.
   *
   * @param organization - the id of the organization that the token names.
   * @param subject - the subject of the token, for the ledger.
   * @throws ServiceError unauthorized - the organization does not exist.
   */
  async tokenCaller(organization: string, subject: string): Promise<Caller> {
    const named = await this.#authentication.organization(organization)
    return { organization: named, workspace: '', key: `token:${subject}` }
  }

  /**
   * Counts requests towards the rate limit of the caller's organization.
   *
   * @param requests - number of requests. Default 1.
   */
  countRequest({ organization }: Caller, requests?: number): Promise<LimitStanding> {
    return this.#organizationLimit(organization, requests)
  }

  /**
   * Holds a credit for a call, before its work.
   *
   * @throws ServiceError insufficient_credits
   */
  hold({ organization, key }: Caller): Promise<Hold> {
    return this.#store.ledger.hold(organization, key)
  }

  /** Returns the account that is charged for a caller with a key: that of the organization. */
  organizationAccount(caller: Caller): BillingAccount {
    const { id: client, zdr, wizards: wizardsByDefault } = caller.organization
    return { client, zdr, wizardsByDefault, hold: () => this.hold(caller) }
  }

  /** The plans that agents can have. They are for sale only if the server takes payments for them. */
  get plans(): readonly Plan[] {
    return this.#accounts.plans
  }

  /**
   * Registers an agent, see {@link Agents.register}.
   *
   * @throws ServiceError allowance_unconfirmed
   */
  registerAgent(): Promise<{ agent: Agent; token: string }> {
    return confirmed(this.#accounts.agents.register())
  }

  /**
   * Returns the agent with a bearer token. Undefined if the token is unknown, expired or revoked.
   *
   * @throws ServiceError allowance_unconfirmed
   */
  agentOf(token: string): Promise<Agent | undefined> {
    return confirmed(this.#accounts.agents.ofToken(token))
  }

  /**
   * Rejects the call of an agent that has no plan for a kind of call.
   *
   * @param forSale - the plans for sale, of which the error lists those that cover the kind. Default {@link plans}.
   * @throws ServiceError plan_required | allowance_unconfirmed
   */
  async checkPlan(agent: Agent, kind: CallKind, forSale: readonly Plan[] = this.plans): Promise<void> {
    await confirmed(this.#accounts.grants.check(agent, kind, forSale))
  }

  /**
   * Grants a plan to an agent, once for each payment, see {@link Grants.grant}.
   *
   * @param actor - who grants it, for the audit log.
   */
  grantPlan(actor: string, agent: Pick<Agent, 'id'>, plan: Plan, payment: GrantPayment): Promise<Grant> {
    return this.#accounts.grants.grant(actor, agent, plan, payment)
  }

  /** Rejects an agent that has as many plans as it can have, see {@link Grants.checkRoom}. */
  checkRoom(agent: Pick<Agent, 'id'>): Promise<void> {
    return this.#accounts.grants.checkRoom(agent)
  }

  /** True if the plan that a payment bought can be used now or later, see {@link Grants.isUsable}. */
  async isUsable(payment: GrantPayment): Promise<boolean> {
    const grant = await this.grantOf(payment)
    return grant !== undefined && (await this.#accounts.grants.isUsable(grant))
  }

  /** Lists the plans of an agent, oldest first, with the remaining calls. Names are those of the wire. */
  async plansOf({ id }: Agent): Promise<object[]> {
    return (await confirmed(this.#accounts.grants.of(id))).map(shownGrant)
  }

  /**
   * Takes back the plan that a payment bought, because the payment was refunded. Does nothing if there is no such plan.
   * See {@link Grants.refund}.
   */
  async refundPlan(actor: string, payment: GrantPayment): Promise<void> {
    const grant = await this.grantOf(payment)
    if (grant) await this.#accounts.grants.refund(actor, grant.agent, grant.id, { evenIfUsed: true })
  }

  /** Returns the grant that a payment bought; undefined if there is none. */
  grantOf(payment: GrantPayment): Promise<Grant | undefined> {
    return this.#accounts.grants.ofPayment(payment)
  }

  /** Counts a request towards the rate limit of an agent's plans. Returns undefined if the agent has no plan. */
  async countAgentRequest({ id }: Agent): Promise<LimitStanding | undefined> {
    const rateLimit = await confirmed(this.#accounts.grants.rateOf(id))
    return rateLimit === undefined ? undefined : await this.#agentLimit({ id, rateLimit })
  }

  /**
   * Returns the account that is charged for an agent, which consists of its plans.
   *
   * @param forSale - see {@link checkPlan}.
   */
  agentAccount(agent: Agent, forSale: readonly Plan[] = this.plans): BillingAccount {
    return {
      client: agent.id,
      zdr: false,
      wizardsByDefault: false,
      weeksInFilters: true,
      hold: async kind => {
        const hold = await confirmed(this.#accounts.grants.hold(agent, kind, forSale))
        return {
          capture: sku => confirmed(hold.capture(sku)),
          refund: () => confirmed(hold.refund()),
          void: () => hold.void(),
        }
      },
    }
  }

  /**
   * Performs an administrative act. Its changes and their audit record are on disk when this resolves.
   *
   * @param actor - who acts, for the audit log.
   * @returns a JSON value with the names of the wire.
   * @throws ServiceError invalid_request | not_found
   * @throws TypeError - there is no such act.
   */
  async administer<Act extends AdminActName>(act: Act, input: unknown, actor: string): Promise<AdminAnswer<Act>> {
    if (!Object.hasOwn(adminActs, act)) throw new TypeError(`there is no act ${act} on accounts`)
    return (await adminActs[act].perform(this.#accounts, input, actor)) as AdminAnswer<Act>
  }

  /** Adds a record to the audit log, of an act that changes something else than the accounts. It is on disk when this resolves. */
  async record(act: Omit<AuditRecord, 'sequence' | 'at'>): Promise<void> {
    const audit = { at: this.#accounts.now(), ...act }
    await this.#store.change(act.target, async () => ({ result: undefined, act: { audit } }))
  }

  /** Copies a snapshot of the accounts to a new folder. */
  copyTo(dir: string): Promise<void> {
    return this.#store.copyTo(dir)
  }

  /** Takes a snapshot of the accounts. Returns undefined if they are in a database. */
  snapshot(): JournalSnapshot | undefined {
    return this.#store.snapshot?.()
  }

  /** Waits for pending writes, then closes the accounts. */
  close(): Promise<void> {
    return this.#store.close()
  }

  /** Forgets what was read, so that it is read again. */
  #forget(): void {
    this.#authentication.forget()
    this.#accounts.agents.forget()
  }
}
