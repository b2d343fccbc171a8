import { examine, repair } from '@asof/core'
import type { Command } from 'commander'
import { type AccountsExamination, examineAccounts } from '../../service/accounts/index.ts'
import { hasAccounts } from '../../service/data-folder/account-folder.ts'
import { accessDir } from '../../service/data-folder/data-folder.ts'
import { commandContext } from '../command-context.ts'
import { accountsText, examinationText, repairText } from '../output/doctor-text.ts'
import type { Flags } from '../settings/settings.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

async function accountsOf(dir: string): Promise<AccountsExamination | undefined> {
  return (await hasAccounts(dir)) ? await examineAccounts(accessDir(dir)) : undefined
}

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the index and the accounts for damage; repair the index')
    .option('--repair', 'rebuild a damaged index from everything readable, and keep the damaged folder as a backup')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof doctor --repair --data ./docs-index'))
    .action(async ({ repair: mayRepair, ...flags }: Flags & { repair?: boolean }) => {
      const { dir, progress, json, print } = await commandContext(flags)
      progress.update(() => 'checking the index')
      const index = await examine(dir)
      const accounts = await accountsOf(dir)
      const examination = { ...index, ...(accounts && { accounts }) }
      const lines = accounts ? [accountsText(accounts)] : []
      if (accounts && !accounts.sound) process.exitCode = 1
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
