import { randomBytes } from 'node:crypto'
import { type KeyRange, rangeUnder } from '../records/journal.ts'

const TIME_CHARS = 9
const RANDOM_BYTES = 5

/** Generates an id from a kind, the time of creation and random digits. Ids of a kind sort by age. */
export function newId(kind: 'org' | 'ws' | 'key' | 'agent' | 'grant', at: number): string {
  return `${kind}_${at.toString(36).padStart(TIME_CHARS, '0')}${randomBytes(RANDOM_BYTES).toString('hex')}`
}

const SEQUENCE_DIGITS = 15

/** Returns a sequence number with leading zeros, so that texts sort like numbers. */
function padded(sequence: number): string {
  return String(sequence).padStart(SEQUENCE_DIGITS, '0')
}

/** Returns the organization and sequence number in the key of a ledger entry. Undefined for other keys. */
export function ledgerPlace(key: string): { organization: string; sequence: number } | undefined {
  const [kind, organization = '', sequence] = key.split('/')
  return kind === 'ledger' ? { organization, sequence: Number(sequence) } : undefined
}

/**
 * The keys under which accounts are stored in their journal. Ids contain no slash. A range starts after the id or
 * number `after`.
 */
export const accountKeys = {
  organization: (id: string) => `organization/${id}`,
  organizations: (after?: string) => rangeUnder('organization', after),
  workspace: (id: string) => `workspace/${id}`,
  workspaces: (after?: string) => rangeUnder('workspace', after),
  workspaceIn: (organization: string, id: string) => `workspace-in/${organization}/${id}`,
  workspacesIn: (organization: string, after?: string) => rangeUnder(`workspace-in/${organization}`, after),
  key: (id: string) => `key/${id}`,
  keys: (after?: string) => rangeUnder('key', after),
  keyIn: (workspace: string, id: string) => `key-in/${workspace}/${id}`,
  keysIn: (workspace: string, after?: string) => rangeUnder(`key-in/${workspace}`, after),
  /** Stores the id of the key whose secret has this SHA-256. */
  secret: (hash: string) => `secret/${hash}`,
  account: (organization: string) => `account/${organization}`,
  month: (organization: string, month: string) => `month/${organization}/${month}`,
  entry: (organization: string, sequence: number) => `ledger/${organization}/${padded(sequence)}`,
  entries: (organization: string, after?: number) =>
    rangeUnder(`ledger/${organization}`, after === undefined ? undefined : padded(after)),
  agent: (id: string) => `agent/${id}`,
  agents: (after?: string) => rangeUnder('agent', after),
  /** Stores the id of the agent whose token has this SHA-256. */
  agentToken: (hash: string) => `agent-token/${hash}`,
  grant: (agent: string, id: string) => `grant/${agent}/${id}`,
  grantsOf: (agent: string) => rangeUnder(`grant/${agent}`),
  /** Stores the grant that a payment bought. */
  grantPayment: (method: string, reference: string) => `grant-payment/${method}/${reference}`,
  audit: (sequence: number) => `audit/${padded(sequence)}`,
  audits: (before?: number): KeyRange =>
    before === undefined ? rangeUnder('audit') : { gt: 'audit/', lt: `audit/${padded(before)}` },
}
