import { stat } from 'node:fs/promises'
import { FolderView } from '@asof/core/internal'
import { codeOf } from '@asof/extract/errors'
import {
  Access,
  type AccessOptions,
  type AccountsExamination,
  examineAccounts,
  examineSharedAccounts,
  type MovedAccounts,
  moveAccounts,
} from '../accounts/index.ts'
import { accessDir, expectPlainParts } from './data-folder.ts'
import type { OwnLedger } from './ledger-copy.ts'
import { ServiceDatabase } from './service-database.ts'

/** True if a data folder has accounts. */
export async function hasAccounts(dir: string): Promise<boolean> {
  try {
    await stat(accessDir(dir))
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

interface AccountFolderOptions extends AccessOptions {
  /** The data folder. */
  dir: string
  /** The database that has the accounts. Default: they are in the folder. */
  database?: ServiceDatabase | undefined
}

/**
 * The accounts of a data folder, in the folder or in the database of several servers. They are opened when first needed, because most
 * commands never need them.
 */
export class AccountFolder {
  readonly #options: AccountFolderOptions
  #access: Promise<Access> | undefined

  constructor(options: AccountFolderOptions) {
    this.#options = options
  }

  /** Opens the accounts once. If that fails, the next call tries again. */
  open(): Promise<Access> {
    this.#access ??= this.#open().catch((error: unknown) => {
      this.#access = undefined
      throw error
    })
    return this.#access
  }

  /** Opens the accounts for a backup. Returns undefined if the folder has no accounts, or if they are in a database. */
  async openOwn(): Promise<OwnLedger | undefined> {
    const { dir, database } = this.#options
    if (database || !(this.#access || (await hasAccounts(dir)))) return undefined
    const access = await this.open()
    return { dirIn: accessDir, snapshot: () => access.snapshot() }
  }

  async close(): Promise<void> {
    // The caller of `open` already got the failure to open.
    await (await this.#access?.catch(() => undefined))?.close()
  }

  async #open(): Promise<Access> {
    const { dir, database, ...options } = this.#options
    return database ? await Access.connect(await database.open(), options) : await Access.open(accessDir(dir), options)
  }
}

/**
 * Checks the accounts of a data folder. Changes nothing. Returns undefined if the folder has no accounts.
 *
 * @param url - the database that has the accounts. Default: they are in the folder.
 * @throws as `examineAccounts` and `examineSharedAccounts` do.
 */
export async function examineAccountsOf(dir: string, url?: string): Promise<AccountsExamination | undefined> {
  await expectPlainParts(dir)
  if (url === undefined) return (await hasAccounts(dir)) ? await examineAccounts(accessDir(dir)) : undefined
  return await withDatabase(url, async database => await examineSharedAccounts(await database.open()))
}

/** Runs work that only reads the accounts of a data folder, or those in a database. Writes nothing into the folder. */
export async function withAccounts<T>(
  dir: string,
  url: string | undefined,
  work: (access: Access) => Promise<T>,
): Promise<T> {
  if (url !== undefined)
    return await withDatabase(url, async database =>
      withAccess(await Access.connect(await database.open(), { now: Date.now }), work),
    )
  const view = await FolderView.of(accessDir(dir))
  try {
    return await withAccess(await Access.open(view.location, { now: Date.now }), work)
  } finally {
    await view.close()
  }
}

async function withAccess<T>(access: Access, work: (access: Access) => Promise<T>): Promise<T> {
  try {
    return await work(access)
  } finally {
    await access.close()
  }
}

/**
 * Moves the accounts of a data folder to a database, see {@link moveAccounts}. The folder stays as it is.
 *
 * @returns undefined if the folder has no accounts.
 */
export async function moveAccountsOf(dir: string, url: string): Promise<MovedAccounts | undefined> {
  await expectPlainParts(dir)
  if (!(await hasAccounts(dir))) return undefined
  return await withDatabase(url, async database => await moveAccounts(accessDir(dir), await database.open()))
}

async function withDatabase<T>(url: string, work: (database: ServiceDatabase) => Promise<T>): Promise<T> {
  const database = new ServiceDatabase(url)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
