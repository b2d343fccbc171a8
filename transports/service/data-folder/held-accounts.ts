import { stat } from 'node:fs/promises'
import { Access } from '../accounts/index.ts'
import { accessDir } from './data-folder.ts'

/** The accounts of a data folder that this process holds. */
export interface HeldAccounts {
  /** Opens them when they are first asked for: most commands never look at them. */
  access(): Promise<Access>
  /** Copies them, where there are any, into another data folder. */
  copyTo(target: string): Promise<void>
  close(): Promise<void>
}

/** Whether a data folder has accounts. */
export async function hasAccounts(dir: string): Promise<boolean> {
  try {
    await stat(accessDir(dir))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

export function holdAccounts(dir: string, now: () => number): HeldAccounts {
  let opened: Promise<Access> | undefined
  const access = () => {
    opened ??= Access.open(accessDir(dir), { now })
    return opened
  }
  return {
    access,
    copyTo: async target => {
      if (opened || (await hasAccounts(dir))) await (await access()).copyTo(accessDir(target))
    },
    // Whoever asked for accounts that can't be opened has been told so.
    close: async () => (await opened?.catch(() => undefined))?.close(),
  }
}
