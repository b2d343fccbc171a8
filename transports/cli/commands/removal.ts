import type { Command } from 'commander'
import { commandContext, withData } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { pluralize } from '../output/wording.ts'
import { wrap } from '../output/wrapped-text.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

export function addRemovalCommands(program: Command): void {
  program
    .command('remove')
    .description('remove a page from now on, or from a time in the past on; searches before that still find it')
    .argument('<url>', 'address of the page')
    .option('--at <time>', 'when the page was gone: a date or timestamp of the past (default: now)')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      examples('asof remove https://example.com/old-page', 'asof remove https://example.com/old-page --at 2022-03-01'),
    )
    .action(async (url: string, { at, ...flags }: Flags & { at?: string }) => {
      const context = await commandContext(flags)
      const removed = await withData(context, folder => folder.engine.remove(url, { at }))
      const declared = at !== undefined
      const absent = declared
        ? 'the index held no such page then; the removal is recorded, and a page that is imported later with an earlier time will end there'
        : 'the index holds no such page'
      context.print(
        context.json
          ? JSON.stringify({ removed, declared: declared || undefined })
          : wrap(removed ? 'removed' : absent),
      )
      if (!removed && !declared) process.exitCode = 1
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
      context.print(context.json ? JSON.stringify({ purged }) : `purged ${pluralize(purged, 'version')}`)
      if (purged === 0) process.exitCode = 1
    })
}
