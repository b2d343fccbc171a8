import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { AsofError } from '@asof/core'
import type { SharedDatabase, Transaction } from '../../../database/index.ts'
import { Journal, type Write } from '../../records/journal.ts'
import type { AuditRecord } from '../audit-record.ts'
import { type LedgerEntry, type MonthTotals, noCalls } from '../ledger.ts'
import { accountKeys } from '../level/account-keys.ts'
import { recordWrites } from '../level/record-writes.ts'
import { present, readGrants, readRecords } from './record-rows.ts'

/** Number of rows read and written at a time. */
const ROWS_AT_ONCE = 5_000

/**
 * Copies the accounts in a database, as of one instant, to a new folder, all or nothing. Credits that are held for calls are left there.
 *
 * @throws ASOF_INVALID_OPTION - the folder exists.
 * @throws ASOF_STORE_READ | ASOF_STORE_WRITE
 */
export async function copyToFolder(database: SharedDatabase, dir: string): Promise<void> {
  if (existsSync(dir)) {
    const message = `${dir} exists: accounts are copied to a new folder`
    throw new AsofError('ASOF_INVALID_OPTION', message, { details: { field: 'dir' } })
  }
  // A part of the accounts would pass for all of them: for example, keys without what they have bought.
  const unfinished = `${dir}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await copyAll(database, unfinished)
  await rename(unfinished, dir)
}

async function copyAll(database: SharedDatabase, dir: string): Promise<void> {
  const journal = await Journal.open(dir, () => {}, 'the accounts')
  try {
    await database.transaction(async tx => {
      await tx`set transaction isolation level repeatable read, read only`
      for (const kind of ['organization', 'workspace', 'key', 'agent'] as const) {
        let after = ''
        for (;;) {
          const records = await readRecords(tx, kind, tx`where id > ${after} order by id limit ${ROWS_AT_ONCE}`)
          const last = records.at(-1)
          if (!last) break
          await journal.commit(records.flatMap(record => recordWrites({ [kind]: record })))
          after = last.id
        }
      }
      let after = ''
      for (;;) {
        const grants = await readGrants(tx, tx`where id > ${after} order by id limit ${ROWS_AT_ONCE}`)
        const last = grants.at(-1)
        if (!last) break
        await journal.commit(grants.flatMap(grant => recordWrites({ grant })))
        after = last.id
      }
      for (const read of [accountWrites, monthWrites, entryWrites, auditWrites])
        for await (const writes of read(tx)) await journal.commit(writes)
    })
  } finally {
    await journal.close()
  }
}

async function* accountWrites(tx: Transaction): AsyncGenerator<Write[]> {
  const rows = tx<{ id: string; sequence: number; balance: number }[]>`select id, sequence, balance from account`
  for await (const part of rows.cursor(ROWS_AT_ONCE))
    yield part.map(({ id, ...totals }): Write => [accountKeys.account(id), totals])
}

async function* monthWrites(tx: Transaction): AsyncGenerator<Write[]> {
  const rows = tx<(MonthTotals & { account: string; month: string })[]>`
    select account, month, calls, allowance, paid from account_month`
  for await (const part of rows.cursor(ROWS_AT_ONCE))
    yield part.map(({ account, month, calls, ...totals }): Write => {
      return [accountKeys.month(account, month), { calls: { ...noCalls(), ...calls }, ...totals }]
    })
}

async function* entryWrites(tx: Transaction): AsyncGenerator<Write[]> {
  const rows = tx<(LedgerEntry & { account: string })[]>`
    select account, sequence, at, kind, credits, source, month, sku, key, refund_of as "refundOf" from ledger_entry`
  for await (const part of rows.cursor(ROWS_AT_ONCE))
    yield part.map((row): Write => {
      const { account, ...entry } = present(row)
      return [accountKeys.entry(account, entry.sequence), entry]
    })
}

async function* auditWrites(tx: Transaction): AsyncGenerator<Write[]> {
  const rows = tx<{ sequence: number; record: Omit<AuditRecord, 'sequence'> }[]>`select sequence, record from audit`
  for await (const part of rows.cursor(ROWS_AT_ONCE))
    yield part.map(({ sequence, record }): Write => [accountKeys.audit(sequence), { sequence, ...record }])
}
