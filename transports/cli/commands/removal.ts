import type { Command } from 'commander'
import { commandContext, withData } from '../command-context.ts'
import { counted } from '../output/count-text.ts'
import type { Flags } from '../settings/settings.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

export function addRemovalCommands(program: Command): void {
  program
    .command('remove')
    .description('remove a page from now on; searches of the past still find it')
    .argument('<url>', 'address of the page')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof remove https://example.com/old-page'))
    .action(async (url: string, flags: Flags) => {
      const context = await commandContext(flags)
      const removed = await withData(context, folder => folder.engine.remove(url))
      context.print(context.json ? JSON.stringify({ removed }) : removed ? 'removed' : 'the index holds no such page')
      if (!removed) process.exitCode = 1
    })
  program
    .command('purge')
    .description('delete every version of a page for good; searches of the past no longer find it')
    .argument('<url>', 'address of the page')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof purge https://example.com/private-page'))
    .action(async (url: string, flags: Flags) => {
      const context = await commandContext(flags)
      const purged = await withData(context, folder => folder.engine.purge(url))
      context.print(context.json ? JSON.stringify({ purged }) : `purged ${counted(purged, 'version')}`)
      if (purged === 0) process.exitCode = 1
    })
}
