const SEQUENCE_DIGITS = 15

function inOrder(sequence: number): string {
  return String(sequence).padStart(SEQUENCE_DIGITS, '0')
}

/** Everything whose key begins with `prefix`; `after` names the last one already seen. */
export interface KeyRange {
  gt: string
  lt: string
}

function under(prefix: string, after = ''): KeyRange {
  return { gt: `${prefix}/${after}`, lt: `${prefix}0` }
}

/** What kind of record a key is of: all of a key that may be told, as it may name the hash of a secret. */
export function kindOf(key: string): string {
  return key.split('/', 1)[0]!
}

/** Which entry of whose ledger a key is of, if it is of one. */
export function ledgerPlace(key: string): { organisation: string; sequence: number } | undefined {
  const [kind, organisation = '', sequence] = key.split('/')
  return kind === 'ledger' ? { organisation, sequence: Number(sequence) } : undefined
}

/** The layout of the access store. Ids hold no slash; sequence numbers sort as text. */
export const storeKeys = {
  format: 'format',
  /** Number of the last commit, to tell after a failed write whether it arrived. */
  commit: 'commit',
  organisation: (id: string) => `organisation/${id}`,
  organisations: (after?: string) => under('organisation', after),
  workspace: (id: string) => `workspace/${id}`,
  workspaces: (after?: string) => under('workspace', after),
  workspaceIn: (organisation: string, id: string) => `workspace-in/${organisation}/${id}`,
  workspacesIn: (organisation: string, after?: string) => under(`workspace-in/${organisation}`, after),
  key: (id: string) => `key/${id}`,
  keys: (after?: string) => under('key', after),
  keyIn: (workspace: string, id: string) => `key-in/${workspace}/${id}`,
  keysIn: (workspace: string, after?: string) => under(`key-in/${workspace}`, after),
  /** Which key a secret of this SHA-256 belongs to. */
  secret: (hash: string) => `secret/${hash}`,
  account: (organisation: string) => `account/${organisation}`,
  month: (organisation: string, month: string) => `month/${organisation}/${month}`,
  entry: (organisation: string, sequence: number) => `ledger/${organisation}/${inOrder(sequence)}`,
  entries: (organisation: string, after?: number) =>
    under(`ledger/${organisation}`, after === undefined ? undefined : inOrder(after)),
  audit: (sequence: number) => `audit/${inOrder(sequence)}`,
  audits: (before?: number): KeyRange =>
    before === undefined ? under('audit') : { gt: 'audit/', lt: `audit/${inOrder(before)}` },
}
