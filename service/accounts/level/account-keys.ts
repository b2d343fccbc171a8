import { type RecordRange, rangeUnder } from '../../records/journal.ts'
import type { RecordKind } from '../account-store.ts'

const SEQUENCE_DIGITS = 15

/** Returns a sequence number with leading zeros, so that texts sort like numbers. */
function padded(sequence: number): string {
  return String(sequence).padStart(SEQUENCE_DIGITS, '0')
}

/** Returns the account and sequence number in the key of a ledger entry. Undefined for other keys. */
export function ledgerPlace(key: string): { account: string; sequence: number } | undefined {
  const [kind, account = '', sequence] = key.split('/')
  return kind === 'ledger' ? { account, sequence: Number(sequence) } : undefined
}

/**
 * The keys under which accounts are stored in their journal. Ids contain no slash. A range starts after the id or
 * number `after`.
 */
export const accountKeys = {
  record: (kind: RecordKind, id: string) => `${kind}/${id}`,
  records: (kind: RecordKind, after?: string) => rangeUnder(kind, after),
  workspaceIn: (organization: string, id: string) => `workspace-in/${organization}/${id}`,
  workspacesIn: (organization: string, after?: string) => rangeUnder(`workspace-in/${organization}`, after),
  keyIn: (workspace: string, id: string) => `key-in/${workspace}/${id}`,
  keysIn: (workspace: string, after?: string) => rangeUnder(`key-in/${workspace}`, after),
  /** Stores the id of the key whose secret has this SHA-256. */
  secret: (hash: string) => `secret/${hash}`,
  account: (id: string) => `account/${id}`,
  month: (account: string, month: string) => `month/${account}/${month}`,
  entry: (account: string, sequence: number) => `ledger/${account}/${padded(sequence)}`,
  entries: (account: string, after?: number) =>
    rangeUnder(`ledger/${account}`, after === undefined ? undefined : padded(after)),
  /** Stores the id of the agent whose token has this SHA-256. */
  agentToken: (hash: string) => `agent-token/${hash}`,
  grant: (agent: string, id: string) => `grant/${agent}/${id}`,
  grantsOf: (agent: string) => rangeUnder(`grant/${agent}`),
  /** Stores the grant that a payment bought. */
  grantPayment: (method: string, reference: string) => `grant-payment/${method}/${reference}`,
  audit: (sequence: number) => `audit/${padded(sequence)}`,
  audits: (before?: number): RecordRange =>
    before === undefined ? rangeUnder('audit') : { gt: 'audit/', lt: `audit/${padded(before)}` },
}
