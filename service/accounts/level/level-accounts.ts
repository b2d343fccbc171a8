import { LRUCache } from 'lru-cache'
import PQueue from 'p-queue'
import { Journal, type JournalSnapshot } from '../../records/journal.ts'
import type {
  AccountAct,
  AccountReads,
  AccountRecords,
  AccountStore,
  Decision,
  ListSlice,
  RecordKind,
} from '../account-store.ts'
import type { AuditRecord } from '../audit-record.ts'
import type { AccountOwner, Standing } from '../ledger.ts'
import type { Key, Workspace } from '../organization.ts'
import type { Agent } from '../plans/agent.ts'
import { type Grant, type GrantPayment, MAX_LISTED_GRANTS } from '../plans/grant.ts'
import { accountKeys } from './account-keys.ts'
import { LevelLedger } from './level-ledger.ts'
import { recordWrites } from './record-writes.ts'

/** The options of {@link LevelAccounts.open}. */
export interface LevelAccountsOptions {
  /** Returns the current time, epoch ms. */
  now: () => number
  /** Called after a failed write. What was not acknowledged may be lost, so caches must be read again. */
  onLoss: () => void
}

const CACHED_AGENTS = 10_000

/** The accounts in a folder, which one process has open. */
export class LevelAccounts implements AccountStore {
  readonly ledger: LevelLedger
  readonly #journal: Journal
  /** The sequence number of the next record of the audit log. */
  #nextAudit: number
  readonly #grants = new LRUCache<string, readonly Grant[]>({ max: CACHED_AGENTS })
  /** Number of changes of grants so far. A list that was read during a change is not cached. */
  #changedGrants = 0
  /** Runs one change at a time, because each reads the result of the one before. */
  readonly #changes = new PQueue({ concurrency: 1 })

  private constructor(journal: Journal, ledger: LevelLedger, nextAudit: number) {
    this.#journal = journal
    this.ledger = ledger
    this.#nextAudit = nextAudit
  }

  /**
   * Opens the accounts in a folder, and creates the folder if it is missing.
   *
   * @throws ASOF_STORE_LOCKED | ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_CORRUPT
   */
  static async open(dir: string, { now, onLoss }: LevelAccountsOptions): Promise<LevelAccounts> {
    let accounts: LevelAccounts | undefined
    const reload = () => {
      accounts?.ledger.reload()
      accounts?.forgetGrants()
      onLoss()
    }
    const journal = await Journal.open(dir, reload, 'the accounts')
    try {
      const [last] = (await journal.list(accountKeys.audits(), { limit: 1, reverse: true })) as AuditRecord[]
      accounts = new LevelAccounts(journal, new LevelLedger(journal, now), (last?.sequence ?? 0) + 1)
      return accounts
    } catch (error) {
      await journal.close()
      throw error
    }
  }

  /** Drops cached grants, so that they are read from disk again. */
  forgetGrants(): void {
    this.#changedGrants++
    this.#grants.clear()
  }

  async find<Kind extends RecordKind>(kind: Kind, id: string): Promise<AccountRecords[Kind] | undefined> {
    return this.#journal.read(accountKeys.record(kind, id)) as AccountRecords[Kind] | undefined
  }

  async grantsOf(agent: string): Promise<readonly Grant[]> {
    const cached = this.#grants.get(agent)
    if (cached) return cached
    const changed = this.#changedGrants
    const grants = (await this.#journal.list(accountKeys.grantsOf(agent), { limit: MAX_LISTED_GRANTS })) as Grant[]
    if (changed === this.#changedGrants) this.#grants.set(agent, grants)
    return grants
  }

  async grantOfPayment({ method, reference }: GrantPayment): Promise<Grant | undefined> {
    return this.#journal.read(accountKeys.grantPayment(method, reference)) as Grant | undefined
  }

  async standings(owners: readonly AccountOwner[]): Promise<Standing[]> {
    return owners.map(owner => this.ledger.standing(owner))
  }

  change<T>(_about: string, decide: (accounts: AccountReads) => Promise<Decision<T>>): Promise<T> {
    return this.#changes.add(async () => {
      const { result, act } = await decide(this)
      if (act) await this.#store(act)
      return result
    })
  }

  async keyOfHash(hash: string): Promise<Key | undefined> {
    const id = this.#journal.read(accountKeys.secret(hash)) as string | undefined
    return id === undefined ? undefined : await this.find('key', id)
  }

  async agentOfHash(hash: string): Promise<Agent | undefined> {
    const id = this.#journal.read(accountKeys.agentToken(hash)) as string | undefined
    return id === undefined ? undefined : await this.find('agent', id)
  }

  async list<Kind extends RecordKind>(kind: Kind, { limit, after }: ListSlice): Promise<AccountRecords[Kind][]> {
    return (await this.#journal.list(accountKeys.records(kind, after), { limit })) as AccountRecords[Kind][]
  }

  async workspacesOf(organization: string, { limit, after }: ListSlice): Promise<Workspace[]> {
    const ids = await this.#journal.list(accountKeys.workspacesIn(organization, after), { limit })
    return ids.map(id => this.#journal.read(accountKeys.record('workspace', id as string)) as Workspace)
  }

  async keysOf(workspace: string, { limit, after }: ListSlice): Promise<Key[]> {
    const ids = await this.#journal.list(accountKeys.keysIn(workspace, after), { limit })
    return ids.map(id => this.#journal.read(accountKeys.record('key', id as string)) as Key)
  }

  async audits(limit: number, before?: number): Promise<AuditRecord[]> {
    return (await this.#journal.list(accountKeys.audits(before), { limit, reverse: true })) as AuditRecord[]
  }

  async copyTo(dir: string): Promise<void> {
    const snapshot = this.snapshot()
    try {
      await snapshot.copyTo(dir)
    } finally {
      await snapshot.close()
    }
  }

  snapshot(): JournalSnapshot {
    return this.#journal.snapshot()
  }

  close(): Promise<void> {
    return this.#journal.close()
  }

  /** Commits an act. Nothing is awaited before, so the totals of the ledger in memory and on disk stay in step. */
  async #store(act: AccountAct): Promise<void> {
    this.#journal.assertUsable()
    const { key, purchase, takeBack, grant, audit } = act
    const before = key && (this.#journal.read(accountKeys.record('key', key.id)) as Key | undefined)
    const writes = recordWrites(act, before)
    if (takeBack !== undefined) writes.push(...this.ledger.takeBack(takeBack))
    if (purchase) writes.push(...this.ledger.purchase(purchase.account, purchase.credits))
    if (audit) {
      const sequence = this.#nextAudit++
      writes.push([accountKeys.audit(sequence), { sequence, ...audit } satisfies AuditRecord])
    }
    await this.#journal.commit(writes)
    if (grant) this.#replaceCached(grant)
  }

  /** Puts a grant that was stored into the cached list of its agent. */
  #replaceCached(stored: Grant): void {
    this.#changedGrants++
    const cached = this.#grants.get(stored.agent)
    if (!cached) return
    const isNew = !cached.some(({ id }) => id === stored.id)
    this.#grants.set(
      stored.agent,
      isNew ? [...cached, stored] : cached.map(grant => (grant.id === stored.id ? stored : grant)),
    )
  }
}
