import { stat } from 'node:fs/promises'
import { Access, type AccessOptions } from '../accounts/index.ts'
import { accessDir } from './data-folder.ts'

/** Returns true if a data folder has accounts. */
export async function hasAccounts(dir: string): Promise<boolean> {
  try {
    await stat(accessDir(dir))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

/** The accounts of a data folder. They are opened on first use, because most commands never need them. */
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

  /** Copies the accounts into another data folder, if there are any. */
  async copyTo(target: string): Promise<void> {
    if (this.#access || (await hasAccounts(this.#dir))) await (await this.open()).copyTo(accessDir(target))
  }

  async close(): Promise<void> {
    // A failure to open was already reported to the caller of `open`.
    await (await this.#access?.catch(() => undefined))?.close()
  }
}
