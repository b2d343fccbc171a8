import { existsSync } from 'node:fs'
import { type Examination, examine } from '@asof/core'
import type { AccountsExamination } from '../../service/accounts/index.ts'
import { examineAccountsOf, namingHolder, withAccounts } from '../../service/data-folder/index.ts'
import { purchasesDir } from '../../store/folder/index.ts'
import type { PurchasesExamination } from '../../store/purchases/index.ts'

/** What an examination of a data folder found: of the index, and of the accounts and purchases if there are any. */
export interface FolderExamination extends Examination {
  accounts?: AccountsExamination | undefined
  purchases?: PurchasesExamination | undefined
}

/**
 * Examines the index, the accounts and the purchases of a data folder. Changes nothing.
 *
 * @param database - URL of the database that has the accounts. Default: they are in the folder.
 * @throws as `examine` and `examineAccountsOf`
 */
export async function examineFolder(dir: string, database?: string): Promise<FolderExamination> {
  const index = await namingHolder(dir, examine(dir))
  const accounts = await examineAccountsOf(dir, database)
  // Purchases are compared with the accounts, so they can't be checked if the accounts are missing or damaged.
  const purchases = accounts?.sound ? await purchasesOf(dir, database) : undefined
  return { ...index, accounts, purchases }
}

async function purchasesOf(dir: string, database?: string): Promise<PurchasesExamination | undefined> {
  if (!existsSync(purchasesDir(dir))) return undefined
  const { examinePurchases } = await import('../../store/purchases/index.ts')
  return await withAccounts(dir, database, access => examinePurchases(dir, payment => access.grantOf(payment)))
}
