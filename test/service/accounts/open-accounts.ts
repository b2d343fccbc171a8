import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { Access, type Plan } from '../../../service/accounts/index.ts'
import { createTestDatabase, noDatabase, type TestDatabase } from '../../servers/test-database.ts'
import { keptText } from './kept-text.ts'

/** Accounts with a clock that the test controls. */
export interface OpenedAccounts {
  clock: { at: number }
  readonly access: Access
  /** Closes the accounts, runs `meanwhile` and opens them again. */
  reopen(meanwhile?: () => Promise<void>): Promise<void>
  /** Returns everything that is stored, as text. The accounts must be closed. */
  kept(): Promise<string>
  close(): Promise<void>
}

/** What a test chooses of its accounts. */
export interface AccountsSetup {
  /** Epoch ms. Default: November 21, 2026. */
  startAt?: number
  /** The plans for sale. Default: the built-in ones. */
  plans?: readonly Plan[]
}

async function openAgainAndAgain(
  open: (clock: { at: number }) => Promise<{ access: Access; close: () => Promise<void> }>,
  kept: () => Promise<string>,
  { startAt = Date.UTC(2026, 10, 21) }: AccountsSetup,
): Promise<OpenedAccounts> {
  const clock = { at: startAt }
  let opened = await open(clock)
  return {
    clock,
    get access() {
      return opened.access
    },
    reopen: async (meanwhile = async () => {}) => {
      await opened.close()
      await meanwhile()
      opened = await open(clock)
    },
    kept,
    close: () => opened.close(),
  }
}

/** Opens accounts in a temporary folder. */
export async function openAccounts(setup: AccountsSetup = {}): Promise<OpenedAccounts & { dir: string }> {
  const parent = await mkdtemp(path.join(tmpdir(), 'asof-access-'))
  const dir = path.join(parent, 'access')
  const { plans } = setup
  const open = async (clock: { at: number }) => {
    const access = await Access.open(dir, { now: () => clock.at, plans })
    return { access, close: () => access.close() }
  }
  const accounts = await openAgainAndAgain(open, () => keptText(dir), setup)
  return Object.assign(accounts, {
    dir,
    close: async () => {
      await accounts.access.close()
      await rm(parent, { recursive: true, force: true })
    },
  })
}

/** Opens accounts in the schema of a test, as a server does that shares them. */
export async function connectAccounts(test: TestDatabase, setup: AccountsSetup = {}): Promise<OpenedAccounts> {
  const { plans } = setup
  const open = async (clock: { at: number }) => {
    const database = await test.open()
    const access = await Access.connect(database, { now: () => clock.at, plans })
    return {
      access,
      close: async () => {
        await access.close()
        await database.close()
      },
    }
  }
  return await openAgainAndAgain(open, () => keptRows(test), setup)
}

/** The tables of accounts in the schema of a test. */
async function tablesOf({ sql, schema }: TestDatabase): Promise<string[]> {
  const tables = await sql`select tablename from pg_tables where schemaname = ${schema} and tablename <> 'migration'`
  return tables.map(({ tablename }) => tablename as string)
}

async function keptRows(test: TestDatabase): Promise<string> {
  const texts: string[] = []
  for (const table of await tablesOf(test)) {
    for (const { text } of await test.sql`select t::text as text from ${test.sql(table)} t`) texts.push(text)
  }
  return texts.join('\n')
}

/** Empties all tables of accounts. */
export async function emptyTables(test: TestDatabase): Promise<void> {
  const tables = await tablesOf(test)
  if (tables.length > 0) await test.sql`truncate ${test.sql(tables)} cascade`
}

if (noDatabase) console.warn(`test/service/accounts: ${noDatabase}`)

/**
 * Describes how accounts behave wherever they are stored: runs the tests over a folder, and over a PostgreSQL database if
 * there is one.
 *
 * @param body - declares the tests. `open` opens empty accounts.
 */
export function describeAccounts(
  title: string,
  body: (open: (setup?: AccountsSetup) => Promise<OpenedAccounts>) => void,
): void {
  describe(`${title}, in a folder`, () => body(openAccounts))
  describe.skipIf(noDatabase)(`${title}, in a database`, () => {
    let test: TestDatabase
    beforeAll(async () => {
      test = await createTestDatabase()
    })
    afterAll(() => test.stop())
    body(async setup => {
      await emptyTables(test)
      return await connectAccounts(test, setup)
    })
  })
}
