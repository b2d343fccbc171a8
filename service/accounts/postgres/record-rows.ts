import type { SqlClient, Transaction } from '../../../database/index.ts'
import type { AccountRecords, RecordKind } from '../account-store.ts'
import type { Grant } from '../plans/grant.ts'

/** The table of each kind of record. */
export const tableOf: Readonly<Record<RecordKind, string>> = {
  organization: 'organization',
  workspace: 'workspace',
  key: 'api_key',
  agent: 'agent',
}

/** The columns of each kind of record, named as its fields. */
const fieldsOf: Readonly<Record<RecordKind, string>> = {
  organization: 'id, name, zdr, wizards, rate_limit as "rateLimit", allowance, created_at as "createdAt"',
  workspace: 'id, name, organization, suspended, created_at as "createdAt"',
  key: `id, workspace, label, sealed_at as "sealedAt", hash, disabled, created_at as "createdAt",
    rotated_at as "rotatedAt", revoked_at as "revokedAt"`,
  agent: 'id, hash, created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt"',
}

/** Returns a row without its columns that are null. */
export function present<Row extends object>(row: Row): Row {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Row
}

/** A condition and an order of rows. */
type Rest = ReturnType<SqlClient>

/** Reads records of a kind. */
export async function readRecords<Kind extends RecordKind>(
  sql: SqlClient | Transaction,
  kind: Kind,
  rest: Rest,
): Promise<AccountRecords[Kind][]> {
  const table: string = tableOf[kind]
  const rows = await sql`select ${sql.unsafe(fieldsOf[kind])} from ${sql(table)} ${rest}`
  // Which columns a row has depends on the kind, which the types of the client do not know.
  return rows.map(row => present(row) as unknown as AccountRecords[Kind])
}

/** Reads grants. */
export async function readGrants(sql: SqlClient | Transaction, rest: Rest): Promise<Grant[]> {
  const rows = await sql<(Omit<Grant, 'payment'> & Grant['payment'])[]>`
    select id, agent, plan, kind, services, units, rate_per_second as "ratePerSecond", starts_at as "startsAt",
      ends_at as "endsAt", method, reference, refunded_at as "refundedAt"
    from plan_grant ${rest}`
  return rows.map(row => {
    const { method, reference, ...grant } = present(row)
    return { ...grant, payment: { method, reference } }
  })
}

/** The columns of a record, named as in the database. */
export type Row = Readonly<Record<string, string | number | boolean | readonly string[] | null>>

export const recordRowOf: { readonly [Kind in RecordKind]: (record: AccountRecords[Kind]) => Row } = {
  organization: ({ id, name, zdr, wizards, rateLimit, allowance, createdAt }) => ({
    id,
    name,
    zdr,
    wizards,
    rate_limit: rateLimit,
    allowance,
    created_at: createdAt,
  }),
  workspace: ({ id, name, organization, suspended, createdAt }) => ({
    id,
    name,
    organization,
    suspended,
    created_at: createdAt,
  }),
  key: ({ id, workspace, label, sealedAt, hash, disabled, createdAt, rotatedAt, revokedAt }) => ({
    id,
    workspace,
    label: label ?? null,
    sealed_at: sealedAt ?? null,
    hash,
    disabled,
    created_at: createdAt,
    rotated_at: rotatedAt ?? null,
    revoked_at: revokedAt ?? null,
  }),
  agent: ({ id, hash, createdAt, expiresAt, revokedAt }) => ({
    id,
    hash,
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt ?? null,
  }),
}

/** Stores a record, in place of the one with its id. */
export async function writeRecord<Kind extends RecordKind>(
  tx: Transaction,
  kind: Kind,
  record: AccountRecords[Kind],
): Promise<void> {
  await writeRow(tx, tableOf[kind], recordRowOf[kind](record))
}

/** Returns the columns of a grant. */
export function grantRow(grant: Grant): Row {
  const { id, agent, plan, kind, services, units, ratePerSecond, startsAt, endsAt, payment, refundedAt } = grant
  return {
    id,
    agent,
    plan,
    kind,
    services,
    units,
    rate_per_second: ratePerSecond,
    starts_at: startsAt,
    ends_at: endsAt ?? null,
    ...payment,
    refunded_at: refundedAt ?? null,
  }
}

/** Stores a grant, in place of the one with its id. */
export async function writeGrant(tx: Transaction, grant: Grant): Promise<void> {
  await writeRow(tx, 'plan_grant', grantRow(grant))
}

async function writeRow(tx: Transaction, table: string, row: Row): Promise<void> {
  await tx`insert into ${tx(table)} ${tx(row)} on conflict (id) do update set ${tx(row)}`
}
