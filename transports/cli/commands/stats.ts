import type { Command } from 'commander'
import { timestamp } from '../../../service/index.ts'
import { commandContext, withData } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

export function addStatsCommand(program: Command): void {
  program
    .command('stats')
    .description('print the size of the index: captures, URLs, bytes, oldest and newest capture')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof stats --data ./docs-index'))
    .action(async (flags: Flags) => {
      const context = await commandContext(flags)
      const { captures, urls, segments, terms, bytes, oldest, newest, vectors } = await withData(context, folder =>
        folder.engine.stats(),
      )
      const times = { oldest: timestamp(oldest) ?? null, newest: timestamp(newest) ?? null }
      const stats: Record<string, unknown> = { captures, urls, segments, terms, bytes, ...times }
      if (vectors !== undefined) stats.vectors = vectors
      const lines = Object.entries(stats).map(([name, value]) => `${name.padEnd(9)} ${value ?? '-'}`)
      context.print(context.json ? JSON.stringify(stats) : lines.join('\n'))
    })
}
