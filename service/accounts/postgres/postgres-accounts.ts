import { codeOf } from '@asof/extract/errors'
import { Repeat, type SharedDatabase, type Transaction } from '../../../database/index.ts'
import { ServiceError } from '../../contract/errors.ts'
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
import { type AccountOwner, calendarMonthOf, type Standing } from '../ledger.ts'
import type { Key, Workspace } from '../organization.ts'
import type { Agent } from '../plans/agent.ts'
import { type Grant, type GrantPayment, MAX_LISTED_GRANTS } from '../plans/grant.ts'
import { accountTables } from './account-tables.ts'
import { copyToFolder } from './copy-to-folder.ts'
import { PostgresLedger, readStandings } from './postgres-ledger.ts'
import { readGrants, readRecords, writeGrant, writeRecord } from './record-rows.ts'

/** The options of {@link PostgresAccounts.open}. */
export interface PostgresAccountsOptions {
  /** Returns the current time, epoch ms. */
  now: () => number
  /** How long a credit is held for a call at most, ms. Default 5 minutes. */
  holdMs?: number
}

/**
 * How long this server may use what it read: so long a key works that another server has revoked. It leaves some of the second
 * that is promised to what runs before a key is looked at.
 */
const MAX_AGE_MS = 900

// Any numbers that differ from those of other stores; all servers use the same ones.
const CHANGE_LOCKS = 7_203_411
const AUDIT_LOCK = 7_203_412

/** The accounts in a PostgreSQL database that several servers share. */
export class PostgresAccounts implements AccountStore {
  readonly ledger: PostgresLedger
  readonly maxAgeMs = MAX_AGE_MS
  readonly #database: SharedDatabase
  readonly #now: () => number

  private constructor(database: SharedDatabase, { now, holdMs }: PostgresAccountsOptions) {
    this.#database = database
    this.#now = now
    this.ledger = new PostgresLedger(database, now, holdMs)
  }

  /**
   * Creates or upgrades the tables of accounts. The caller closes the database after the store.
   *
   * @throws ASOF_STORE_WRITE - the tables cannot be created, for example because the user may not.
   * @throws ASOF_STORE_FORMAT - a later version of asof made the tables.
   */
  static async open(database: SharedDatabase, options: PostgresAccountsOptions): Promise<PostgresAccounts> {
    await database.migrate(accountTables)
    // Those of servers that died. They count no more, so nothing waits for their end.
    await database.write(sql => sql`delete from credit_hold where expires_at <= clock_timestamp()`)
    return new PostgresAccounts(database, options)
  }

  find<Kind extends RecordKind>(kind: Kind, id: string): Promise<AccountRecords[Kind] | undefined> {
    return this.#read(reads => reads.find(kind, id))
  }

  grantsOf(agent: string): Promise<readonly Grant[]> {
    return this.#read(reads => reads.grantsOf(agent))
  }

  grantOfPayment(payment: GrantPayment): Promise<Grant | undefined> {
    return this.#read(reads => reads.grantOfPayment(payment))
  }

  standings(owners: readonly AccountOwner[]): Promise<Standing[]> {
    return this.#read(reads => reads.standings(owners))
  }

  change<T>(about: string, decide: (accounts: AccountReads) => Promise<Decision<T>>): Promise<T> {
    return this.#database.transaction(async tx => {
      await tx`select pg_advisory_xact_lock(hashtextextended(${about}, ${CHANGE_LOCKS}))`
      const { result, act } = await decide(readsOf(tx, this.#now))
      if (act) await this.#store(tx, act)
      return result
    })
  }

  keyOfHash(hash: string): Promise<Key | undefined> {
    return this.#ofHash('key', hash)
  }

  agentOfHash(hash: string): Promise<Agent | undefined> {
    return this.#ofHash('agent', hash)
  }

  list<Kind extends RecordKind>(kind: Kind, { limit, after = '' }: ListSlice): Promise<AccountRecords[Kind][]> {
    return this.#database.read(sql => readRecords(sql, kind, sql`where id > ${after} order by id limit ${limit}`))
  }

  workspacesOf(organization: string, { limit, after = '' }: ListSlice): Promise<Workspace[]> {
    return this.#database.read(sql =>
      readRecords(
        sql,
        'workspace',
        sql`where organization = ${organization} and id > ${after} order by id limit ${limit}`,
      ),
    )
  }

  keysOf(workspace: string, { limit, after = '' }: ListSlice): Promise<Key[]> {
    return this.#database.read(sql =>
      readRecords(sql, 'key', sql`where workspace = ${workspace} and id > ${after} order by id limit ${limit}`),
    )
  }

  async audits(limit: number, before = Number.MAX_SAFE_INTEGER): Promise<AuditRecord[]> {
    const rows = await this.#database.read(
      sql => sql<{ sequence: number; record: Omit<AuditRecord, 'sequence'> }[]>`
        select sequence, record from audit where sequence < ${before} order by sequence desc limit ${limit}`,
    )
    return rows.map(({ sequence, record }) => ({ sequence, ...record }))
  }

  copyTo(dir: string): Promise<void> {
    return copyToFolder(this.#database, dir)
  }

  close(): Promise<void> {
    return this.ledger.close()
  }

  #read<T>(work: (reads: AccountReads) => Promise<T>): Promise<T> {
    return this.#database.read(sql => work(readsOf(sql, this.#now)))
  }

  async #ofHash<Kind extends 'key' | 'agent'>(kind: Kind, hash: string): Promise<AccountRecords[Kind] | undefined> {
    const [found] = await this.#database.read(sql => readRecords(sql, kind, sql`where hash = ${hash}`))
    return found
  }

  async #store(tx: Transaction, act: AccountAct): Promise<void> {
    const { organization, workspace, key, agent, grant, purchase, takeBack, audit } = act
    const at = this.#now()
    if (organization) await writeRecord(tx, 'organization', organization)
    if (workspace) await writeRecord(tx, 'workspace', workspace)
    if (key) await writeRecord(tx, 'key', key)
    if (agent) await writeRecord(tx, 'agent', agent)
    if (grant) await writeGrant(tx, grant).catch(repeatIfTaken)
    if (takeBack !== undefined) {
      const [row] = await tx<{ isDone: boolean }[]>`select take_back_credits(${takeBack}, ${at}) as "isDone"`
      if (!row?.isDone) throw new ServiceError('invalid_request', 'A call is running. Try again when it has ended.')
    }
    if (purchase) await tx`select purchase_credits(${purchase.account}, ${purchase.credits}, ${at})`
    if (audit) {
      // Numbers have no gaps, so records are appended one after the other.
      await tx`select pg_advisory_xact_lock(${AUDIT_LOCK})`
      await tx`
        insert into audit (sequence, record)
        select coalesce(max(sequence), 0) + 1, ${JSON.stringify(audit)}::text::json from audit`
    }
  }
}

function readsOf(sql: Parameters<typeof readStandings>[0], now: () => number): AccountReads {
  return {
    find: async (kind, id) => (await readRecords(sql, kind, sql`where id = ${id}`))[0],
    grantsOf: agent => readGrants(sql, sql`where agent = ${agent} order by id limit ${MAX_LISTED_GRANTS}`),
    grantOfPayment: async ({ method, reference }) =>
      (await readGrants(sql, sql`where method = ${method} and reference = ${reference}`))[0],
    standings: async owners => (owners.length === 0 ? [] : await readStandings(sql, owners, calendarMonthOf(now()))),
  }
}

const UNIQUE_VIOLATION = '23505'

/** Repeats a change whose payment another server has just used for another grant: the next decision sees that. */
function repeatIfTaken(error: unknown): never {
  if (codeOf(error) === UNIQUE_VIOLATION) throw new Repeat()
  throw error
}
