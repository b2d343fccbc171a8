import type { Command } from 'commander'
import { commandContext, withData } from '../command-context.ts'
import type { Flags } from '../settings/settings.ts'

export function addRemovalCommands(program: Command): void {
  program
    .command('remove')
    .description('take a page out from now on; the past still knows it')
    .argument('<url>')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print one JSON document')
    .action(async (url: string, flags: Flags) => {
      const context = await commandContext(flags)
      const removed = await withData(context, folder => folder.engine.remove(url))
      context.print(context.json ? JSON.stringify({ removed }) : removed ? 'removed' : 'there is no such page')
      if (!removed) process.exitCode = 1
    })
  program
    .command('purge')
    .description('take a page out of all of time')
    .argument('<url>')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print one JSON document')
    .action(async (url: string, flags: Flags) => {
      const context = await commandContext(flags)
      const purged = await withData(context, folder => folder.engine.purge(url))
      context.print(context.json ? JSON.stringify({ purged }) : `captures purged: ${purged}`)
      if (purged === 0) process.exitCode = 1
    })
}
