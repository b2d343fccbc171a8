import { stat } from 'node:fs/promises'
import { Access, type AccessOptions } from '../accounts/index.ts'
import { accessDir } from './data-folder.ts'

/** True if a data folder has accounts. */
export async function hasAccounts(dir: string): Promise<boolean> {
  try {
    await stat(accessDir(dir))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

/** The accounts of a data folder. They are opened when first needed, because most commands never need them. */
export class AccountFolder {
  readonly #dir: string
  readonly #options: AccessOptions
  #access: Promise<Access> | undefined

  constructor(dir: string, options: AccessOptions) {
    this.#dir = dir
    this.#options = options
  }

  open(): Promise<Access> {
    this.#access ??= Access.open(accessDir(this.#dir), this.#options)
    return this.#access
  }

  /** Copies the accounts, if there are any, to another data folder. */
  async copyTo(target: string): Promise<void> {
    if (this.#access || (await hasAccounts(this.#dir))) await (await this.open()).copyTo(accessDir(target))
  }

  async close(): Promise<void> {
    // The caller of `open` already got the failure to open.
    await (await this.#access?.catch(() => undefined))?.close()
  }
}
