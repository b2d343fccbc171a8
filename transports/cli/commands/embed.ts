import type { Command } from 'commander'
import { commandContext, withSharedData } from '../command-context.ts'
import type { Flags } from '../settings/settings.ts'

export function addEmbedCommand(program: Command): void {
  program
    .command('embed')
    .description('ask the embeddings model for the vectors that captures lack; the same command again goes on')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print one JSON document')
    .action(async (flags: Flags) => {
      const context = await commandContext(flags)
      const { progress } = context
      const stopped = await withSharedData(context, async ({ engine }, signal) => {
        const report = await engine.embed({
          signal,
          onProgress: ({ captures, embedded }) => progress.update(() => `${captures} captures, ${embedded} embedded`),
        })
        const text = `${report.captures} captures looked at, ${report.embedded} embedded${signal.aborted ? '; stopped' : ''}`
        context.print(context.json ? JSON.stringify(report) : text)
        return signal.aborted
      })
      if (stopped) process.exitCode = 1
    })
}
