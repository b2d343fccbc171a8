import { existsSync } from 'node:fs'
import { examine, repair } from '@asof/core'
import type { Command } from 'commander'
import { Access, type AccountsExamination, examineAccounts } from '../../../service/accounts/index.ts'
import { accessDir, hasAccounts, purchasesDir } from '../../../service/data-folder/index.ts'
import type { PurchasesExamination } from '../../../service/storefront/purchases/index.ts'
import { commandContext } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { accountsText, examinationText, purchasesText, repairText } from '../output/doctor-text.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

async function accountsOf(dir: string): Promise<AccountsExamination | undefined> {
  return (await hasAccounts(dir)) ? await examineAccounts(accessDir(dir)) : undefined
}

async function purchasesOf(dir: string): Promise<PurchasesExamination | undefined> {
  if (!existsSync(purchasesDir(dir))) return undefined
  const { examinePurchases } = await import('../../../service/storefront/purchases/index.ts')
  const access = await Access.open(accessDir(dir), { now: Date.now })
  try {
    return await examinePurchases(dir, payment => access.grantOf(payment))
  } finally {
    await access.close()
  }
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the index, the accounts and the purchases for damage; repair the index')
    .option('--repair', 'rebuild a damaged index from everything readable, and keep the damaged folder as a backup')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof doctor --repair --data ./docs-index'))
    .action(async ({ repair: mayRepair, ...flags }: Flags & { repair?: boolean }) => {
      const { dir, progress, json, print } = await commandContext(flags)
      progress.update(() => 'checking the index')
      const index = await examine(dir)
      const accounts = await accountsOf(dir)
      // Purchases are compared with the accounts, so they can't be checked if the accounts are missing or damaged.
      const purchases = accounts?.sound ? await purchasesOf(dir) : undefined
      const examination = { ...index, accounts, purchases }
      const lines = [...(accounts ? [accountsText(accounts)] : []), ...(purchases ? [purchasesText(purchases)] : [])]
      if (accounts?.sound === false || purchases?.sound === false || purchases?.unfulfilledCount) process.exitCode = 1
      if (index.sound || !mayRepair) {
        print(json ? JSON.stringify(examination) : [examinationText(index), ...lines].join('\n'))
        if (!index.sound) process.exitCode = 1
        return
      }
      progress.update(() => 'repairing the index')
      const report = await repair(dir)
      print(json ? JSON.stringify({ ...examination, repair: report }) : [repairText(report), ...lines].join('\n'))
    })
}
