import { isDeepStrictEqual } from 'node:util'
import { AsofError } from '@asof/core'
import type { SharedDatabase, Transaction } from '../../../database/index.ts'
import { Journal, rangeUnder } from '../../records/journal.ts'
import type { AuditRecord } from '../audit-record.ts'
import type { LedgerEntry } from '../ledger.ts'
import { ledgerPlace } from '../level/account-keys.ts'
import { examineAccounts } from '../level/integrity-check.ts'
import type { Key, Organization, Workspace } from '../organization.ts'
import type { Agent } from '../plans/agent.ts'
import type { Grant } from '../plans/grant.ts'
import { accountTables } from './account-tables.ts'
import { grantRow, type Row, recordRowOf } from './record-rows.ts'

/** What a move found in the folder, and what it added to the database. */
export interface MovedAccounts {
  /** Number of records and ledger entries in the folder. */
  found: number
  /** Number of those that the database did not have. */
  added: number
}

/** One kind of record: where it is in a folder, and its row in the database. */
interface Part {
  /** The keys in the journal begin with this and a slash. */
  prefix: string
  table: string
  /** The columns that identify a row. */
  ids: readonly string[]
  rowOf: (record: unknown, key: string) => MovedRow
}

type MovedRow = Row | { sequence: number; record: object }

/** The kinds in an order in which a row refers to rows before it. */
const parts: readonly Part[] = [
  {
    prefix: 'organization',
    table: 'organization',
    ids: ['id'],
    rowOf: r => recordRowOf.organization(r as Organization),
  },
  { prefix: 'workspace', table: 'workspace', ids: ['id'], rowOf: r => recordRowOf.workspace(r as Workspace) },
  { prefix: 'key', table: 'api_key', ids: ['id'], rowOf: r => recordRowOf.key(r as Key) },
  { prefix: 'agent', table: 'agent', ids: ['id'], rowOf: r => recordRowOf.agent(r as Agent) },
  { prefix: 'grant', table: 'plan_grant', ids: ['id'], rowOf: r => grantRow(r as Grant) },
  { prefix: 'ledger', table: 'ledger_entry', ids: ['account', 'sequence'], rowOf: entryRow },
  { prefix: 'audit', table: 'audit', ids: ['sequence'], rowOf: auditRow },
]

function entryRow(record: unknown, key: string): Row {
  const { sequence, at, kind, credits, source, month, sku, key: apiKey, refundOf } = record as LedgerEntry
  const { account = '' } = ledgerPlace(key) ?? {}
  return {
    account,
    sequence,
    at,
    kind,
    credits,
    source,
    month: month ?? null,
    sku: sku ?? null,
    key: apiKey ?? null,
    refund_of: refundOf ?? null,
  }
}

function auditRow(audit: unknown): MovedRow {
  const { sequence, ...record } = audit as AuditRecord
  return { sequence, record }
}

const ROWS_AT_ONCE = 500

/**
 * Copies the accounts in a folder to a database, all or nothing, so that servers can share them. Nothing is lost and nothing is
 * doubled: run again, it adds what the folder got since. The folder stays as it is; a server must no longer use it afterwards.
 *
 * @param dir - the folder of the accounts, which no process has open.
 * @throws ASOF_STORE_LOCKED - a server has the accounts open.
 * @throws ASOF_STORE_CORRUPT - the accounts in the folder are damaged.
 * @throws ASOF_INVALID_OPTION - the database has other accounts, or was used since the accounts were moved and the folder, too.
 * @throws ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_WRITE
 */
export async function moveAccounts(dir: string, database: SharedDatabase): Promise<MovedAccounts> {
  const { sound, problems } = await examineAccounts(dir)
  if (!sound) throw new AsofError('ASOF_STORE_CORRUPT', `the accounts in ${dir} are damaged: ${problems[0]}`)
  await database.migrate(accountTables)
  const journal = await Journal.open(dir, () => {}, 'the accounts')
  try {
    return await database.transaction(async tx => {
      // Servers that use the database wait until the move is over.
      await tx`lock table account in exclusive mode`
      const moved = { found: 0, added: 0 }
      for (const part of parts) {
        for await (const rows of rowsOf(journal, part)) {
          moved.found += rows.length
          moved.added += await addRows(tx, part, rows)
        }
      }
      await addUp(tx)
      return moved
    })
  } finally {
    await journal.close()
  }
}

async function* rowsOf(journal: Journal, { prefix, rowOf }: Part): AsyncGenerator<MovedRow[]> {
  let rows: MovedRow[] = []
  for await (const [key, read] of journal.records(rangeUnder(prefix))) {
    rows.push(rowOf(read(), key))
    if (rows.length < ROWS_AT_ONCE) continue
    yield rows
    rows = []
  }
  if (rows.length > 0) yield rows
}

/** Adds the rows that are missing. @returns their number. */
async function addRows(tx: Transaction, { table, ids }: Part, rows: MovedRow[]): Promise<number> {
  const columns = Object.keys(rows[0] ?? {})
  const added = await tx`
    insert into ${tx(table)} ${tx(rows as Record<string, string>[], ...columns)} on conflict do nothing returning 1`
  if (added.length === rows.length) return rows.length
  for (const row of rows) {
    const given = Object.fromEntries(Object.entries(row))
    const conditions = ids.map(id => tx`${tx(id)} = ${given[id] as string}`)
    const [kept] = await tx`
      select ${tx(columns)} from ${tx(table)} where ${conditions.reduce((all, next) => tx`${all} and ${next}`)}`
    if (kept && isDeepStrictEqual({ ...kept }, given)) continue
    throw new AsofError(
      'ASOF_INVALID_OPTION',
      `the database has other accounts than the folder (${table} ${ids.map(id => given[id]).join(' ')}); move them to an empty database`,
      { details: { field: 'database' } },
    )
  }
  return added.length
}

/** Makes the totals of all accounts from their entries. */
async function addUp(tx: Transaction): Promise<void> {
  await tx`
    insert into account (id, sequence, balance, month)
    select account, max(sequence), coalesce(sum(credits) filter (where source = 'purchased'), 0), coalesce(max(month), '')
    from ledger_entry group by account
    on conflict (id) do update set sequence = excluded.sequence, balance = excluded.balance,
      month = greatest(account.month, excluded.month)`
  await tx`
    insert into account_month (account, month, calls, allowance, paid, first_sequence)
    select account, month, jsonb_object_agg(sku, calls), sum(allowance), sum(paid), min(first_sequence)
    from (
      select account, month, sku, -sum(sign(credits)) as calls,
        coalesce(-sum(credits) filter (where source = 'allowance'), 0) as allowance,
        coalesce(-sum(credits) filter (where source = 'purchased'), 0) as paid,
        min(sequence) as first_sequence
      from ledger_entry where month is not null group by account, month, sku
    ) by_sku group by account, month
    on conflict (account, month) do update set calls = excluded.calls, allowance = excluded.allowance,
      paid = excluded.paid, first_sequence = excluded.first_sequence`
}
