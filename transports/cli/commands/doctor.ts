import { repair } from '@asof/core'
import type { Command } from 'commander'
import { commandContext } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { examineFolder } from '../folder-examination.ts'
import { accountsText, examinationText, purchasesText, repairText } from '../output/doctor-text.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the index, the accounts and the purchases for damage; repair the index')
    .option('--repair', 'rebuild a damaged index from everything readable, and keep the damaged folder as a backup')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof doctor --repair --data ./docs-index'))
    .action(async ({ repair: mayRepair, ...flags }: Flags & { repair?: boolean }) => {
      const { dir, settings, progress, json, print } = await commandContext(flags)
      progress.update(() => 'checking the index')
      const examination = await examineFolder(dir, settings.database)
      const { sound, accounts, purchases } = examination
      const lines: string[] = []
      if (accounts) lines.push(accountsText(accounts))
      if (purchases) lines.push(purchasesText(purchases))
      if (accounts?.sound === false || purchases?.sound === false || purchases?.unfulfilledCount) process.exitCode = 1
      if (sound || !mayRepair) {
        print(json ? JSON.stringify(examination) : [examinationText(examination), ...lines].join('\n'))
        if (!sound) process.exitCode = 1
        return
      }
      progress.update(() => 'repairing the index')
      const report = await repair(dir)
      print(json ? JSON.stringify({ ...examination, repair: report }) : [repairText(report), ...lines].join('\n'))
    })
}
