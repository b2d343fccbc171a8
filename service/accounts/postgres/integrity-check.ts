import { only, type SharedDatabase, type Transaction } from '../../../database/index.ts'
import { type AccountsExamination, balanceText, MAX_PROBLEMS, missingText, monthText } from '../accounts-examination.ts'
import { accountTables } from './account-tables.ts'

/**
 * Adds up every ledger in a database, as of one instant. Servers may use the accounts meanwhile. Changes nothing, except that
 * missing tables are created. PostgreSQL verifies the checksums of its pages itself, if it was initialized with them.
 *
 * @throws ASOF_STORE_FORMAT | ASOF_STORE_READ | ASOF_STORE_WRITE
 */
export async function examineSharedAccounts(database: SharedDatabase): Promise<AccountsExamination> {
  await database.migrate(accountTables)
  return await database.transaction(async tx => {
    await tx`set transaction isolation level repeatable read, read only`
    const { records } = only(
      await tx<{ records: number }[]>`
        select (select count(*) from organization) + (select count(*) from workspace) + (select count(*) from api_key)
          + (select count(*) from agent) + (select count(*) from plan_grant) + (select count(*) from audit)
          + (select count(*) from account) + (select count(*) from account_month)
          + (select count(*) from ledger_entry) as records`,
    )
    const all = [...(await ledgerProblems(tx)), ...(await monthProblems(tx)), ...(await grantProblems(tx))]
    const problemCount = all.length
    return { sound: problemCount === 0, records, problems: all.slice(0, MAX_PROBLEMS), problemCount }
  })
}

async function ledgerProblems(tx: Transaction): Promise<string[]> {
  const wrong = await tx<{ account: string; missing: number; sum: number; balance: number }[]>`
    select coalesce(a.id, e.account) as account, coalesce(a.sequence, 0) - coalesce(e.entries, 0) as missing,
      coalesce(e.sum, 0)::bigint as sum, coalesce(a.balance, 0) as balance
    from account a full join (
      select account, count(*) as entries, max(sequence) as last, sum(credits) filter (where source = 'purchased') as sum
      from ledger_entry group by account
    ) e on e.account = a.id
    where coalesce(a.sequence, 0) <> coalesce(e.entries, 0) or coalesce(a.sequence, 0) <> coalesce(e.last, 0)
      or coalesce(a.balance, 0) <> coalesce(e.sum, 0)
    order by 1`
  // The sums need no comparison if entries are missing.
  return wrong.map(({ account, missing, sum, balance }) =>
    missing === 0 ? balanceText(account, sum, balance) : missingText(account, missing),
  )
}

async function monthProblems(tx: Transaction): Promise<string[]> {
  const wrong = await tx<{ account: string; month: string }[]>`
    select coalesce(m.account, e.account) as account, coalesce(m.month, e.month) as month
    from account_month m full join (
      select account, month, -sum(credits) filter (where source = 'allowance') as allowance,
        -sum(credits) filter (where source = 'purchased') as paid
      from ledger_entry where month is not null group by account, month
    ) e on e.account = m.account and e.month = m.month
    where (coalesce(m.allowance, 0), coalesce(m.paid, 0)) <> (coalesce(e.allowance, 0), coalesce(e.paid, 0))
      and (select count(*) from ledger_entry l where l.account = coalesce(m.account, e.account))
        = (select sequence from account a where a.id = coalesce(m.account, e.account))
    order by 1, 2`
  return wrong.map(({ account, month }) => monthText(account, month))
}

async function grantProblems(tx: Transaction): Promise<string[]> {
  const wrong = await tx<{ id: string }[]>`
    select g.id from plan_grant g where not exists (
      select from ledger_entry e where e.account = g.id and e.kind = 'purchase'
    ) order by 1`
  return wrong.map(({ id }) => `the plan ${id} was granted, but its ledger has no purchase`)
}
