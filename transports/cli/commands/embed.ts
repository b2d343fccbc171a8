import type { Command } from 'commander'
import { commandContext, withSharedData } from '../command-context.ts'
import type { Flags } from '../settings/settings.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

export function addEmbedCommand(program: Command): void {
  program
    .command('embed')
    .description('compute missing embeddings with the configured model; run again to resume')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof embed --data ./docs-index'))
    .action(async (flags: Flags) => {
      const context = await commandContext(flags)
      const { progress } = context
      const stopped = await withSharedData(context, async ({ engine }, signal) => {
        const report = await engine.embed({
          signal,
          onProgress: ({ captures, embedded }) =>
            progress.update(() => `${captures} captures checked, ${embedded} embedded`),
        })
        const text = `${report.captures} captures checked, ${report.embedded} embedded${signal.aborted ? '; stopped' : ''}`
        context.print(context.json ? JSON.stringify(report) : text)
        return signal.aborted
      })
      if (stopped) process.exitCode = 1
    })
}
