import { existsSync } from 'node:fs'
import { type Examination, examine } from '@asof/core'
import { Access, type AccountsExamination, examineAccounts } from '../../service/accounts/index.ts'
import { accessDir, hasAccounts, purchasesDir } from '../../service/data-folder/index.ts'
import type { PurchasesExamination } from '../../service/storefront/purchases/index.ts'

/** What an examination of a data folder found: of the index, and of the accounts and purchases if there are any. */
export interface FolderExamination extends Examination {
  accounts?: AccountsExamination | undefined
  purchases?: PurchasesExamination | undefined
}

/**
 * Examines the index, the accounts and the purchases of a data folder. Changes nothing.
 *
 * @throws as `examine` and `examineAccounts`
 */
export async function examineFolder(dir: string): Promise<FolderExamination> {
  const index = await examine(dir)
  const accounts = (await hasAccounts(dir)) ? await examineAccounts(accessDir(dir)) : undefined
  // Purchases are compared with the accounts, so they can't be checked if the accounts are missing or damaged.
  const purchases = accounts?.sound ? await purchasesOf(dir) : undefined
  return { ...index, accounts, purchases }
}

async function purchasesOf(dir: string): Promise<PurchasesExamination | undefined> {
  if (!existsSync(purchasesDir(dir))) return undefined
  const { examinePurchases } = await import('../../service/storefront/purchases/index.ts')
  const access = await Access.open(accessDir(dir), { now: Date.now })
  try {
    return await examinePurchases(dir, payment => access.grantOf(payment))
  } finally {
    await access.close()
  }
}
