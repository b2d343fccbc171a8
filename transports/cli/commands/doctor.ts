import type { Command } from 'commander'
import { examine, repair } from '../../../core/index.ts'
import { commandContext } from '../command-context.ts'
import { examinationText, repairText } from '../doctor-text.ts'
import type { Flags } from '../settings.ts'

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('examine the index for damage, and repair it')
    .option('--repair', 'build a sound index of what can be read, and keep the damaged one beside it')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print one JSON document')
    .action(async ({ repair: mayRepair, ...flags }: Flags & { repair?: boolean }) => {
      const context = await commandContext(flags)
      context.progress.update(() => 'examining the index')
      const examination = await examine(context.dir)
      if (examination.sound || !mayRepair) {
        context.print(context.json ? JSON.stringify(examination) : examinationText(examination))
        if (!examination.sound) process.exitCode = 1
        return
      }
      context.progress.update(() => 'repairing the index')
      const report = await repair(context.dir)
      context.print(context.json ? JSON.stringify({ ...examination, repair: report }) : repairText(report))
    })
}
