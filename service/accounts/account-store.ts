import type { JournalSnapshot } from '../records/journal.ts'
import type { AuditRecord } from './audit-record.ts'
import type { AccountOwner, Ledger, Standing } from './ledger.ts'
import type { Key, Organization, Workspace } from './organization.ts'
import type { Agent } from './plans/agent.ts'
import type { Grant, GrantPayment } from './plans/grant.ts'

/** Which part of a list to return. */
export interface ListSlice {
  limit: number
  /** The id of the last item of the previous part. */
  after?: string
}

/** The kinds of records that have an id of their own. */
export interface AccountRecords {
  organization: Organization
  workspace: Workspace
  key: Key
  agent: Agent
}

export type RecordKind = keyof AccountRecords

/** What a change reads before it decides. */
export interface AccountReads {
  /** Returns the record with this id; undefined if no record has it. */
  find<Kind extends RecordKind>(kind: Kind, id: string): Promise<AccountRecords[Kind] | undefined>
  /** Lists the grants of an agent, oldest first, at most `MAX_LISTED_GRANTS`. */
  grantsOf(agent: string): Promise<readonly Grant[]>
  /** Returns the grant that a payment bought; undefined if there is none. */
  grantOfPayment(payment: GrantPayment): Promise<Grant | undefined>
  /** Returns the credits of accounts, in the order of their owners. */
  standings(owners: readonly AccountOwner[]): Promise<Standing[]>
}

/** What one change stores. All of it is stored, or nothing. A record replaces the one with its id. */
export interface AccountAct {
  /** The record of the act for the audit log. Undefined if the act is not logged, because nobody administered anything. */
  audit?: Omit<AuditRecord, 'sequence'>
  organization?: Organization
  workspace?: Workspace
  key?: Key
  agent?: Agent
  grant?: Grant
  /** Adds purchased credits to an account. */
  purchase?: { account: string; credits: number }
  /** The account of which all purchased credits are taken back. */
  takeBack?: string
}

/** What a change stores, and the result for its caller. */
export interface Decision<T> {
  result: T
  /** Undefined if nothing is to be stored. */
  act?: AccountAct
}

/**
 * Where accounts are stored: in a folder of one process, or in a database that several servers share. The rules of
 * accounts are in the classes that use it.
 */
export interface AccountStore extends AccountReads {
  /** The credits of all organizations and grants. */
  readonly ledger: Ledger
  /**
   * How long what was read may be used again, ms. Undefined: until this process changes it, because no other process
   * can.
   */
  readonly maxAgeMs?: number
  /**
   * Decides about a change and stores it. Changes to the same accounts run one after the other, so that each reads the
   * result of the one before. The decision must have no effect of its own, because it may be repeated.
   *
   * @param about - the id of what changes, such as that of an agent.
   * @throws ASOF_STORE_WRITE - nothing was stored; or the store fails completely, and it is not known.
   * @throws ServiceError invalid_request - credits are taken back while a call is being charged to the account.
   */
  change<T>(about: string, decide: (accounts: AccountReads) => Promise<Decision<T>>): Promise<T>
  /**
   * Returns the key that is stored for the hash of a secret. The caller must compare the hashes, because the key may
   * have got a new secret.
   */
  keyOfHash(hash: string): Promise<Key | undefined>
  /** Returns the agent that is stored for the hash of a token. The caller must compare the hashes. */
  agentOfHash(hash: string): Promise<Agent | undefined>
  /** Lists the records of a kind, oldest first. */
  list<Kind extends RecordKind>(kind: Kind, page: ListSlice): Promise<AccountRecords[Kind][]>
  /** Lists the workspaces of an organization, oldest first. */
  workspacesOf(organization: string, page: ListSlice): Promise<Workspace[]>
  /** Lists the keys of a workspace, oldest first. */
  keysOf(workspace: string, page: ListSlice): Promise<Key[]>
  /**
   * Lists records of the audit log, newest first.
   *
   * @param before - lists only records with a lower sequence number.
   */
  audits(limit: number, before?: number): Promise<AuditRecord[]>
  /** Copies a snapshot of the accounts to a new folder, in the form of those of one process. */
  copyTo(dir: string): Promise<void>
  /** Takes a snapshot of the accounts. Absent if they are in a database, which has backups of its own. */
  snapshot?(): JournalSnapshot
  /** Waits for pending writes, then closes the store. */
  close(): Promise<void>
}
