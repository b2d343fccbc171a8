import { once } from 'node:events'
import type { Command } from 'commander'
import { type CommandContext, commandContext, withHeldData } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { processSettings } from '../settings/server-settings.ts'
import { addSettingOptions } from '../settings/setting.ts'
import { examples } from './shared-options.ts'

/** The demo serves this machine alone, and whoever plays its history in the console sends hundreds of searches. */
function withoutLimits(context: CommandContext): CommandContext {
  const { settings } = context
  const keylessLimits = { perSecond: 100, perHour: 100_000 }
  return { ...context, settings: { ...settings, http: { ...settings.http, keylessLimits } } }
}

export function addDemoCommand(program: Command): void {
  const command = program
    .command('demo')
    .description('crawl a small website, import documents, search them now and in the past, then serve the HTTP API')
    .option('--once', 'end after the searches, without serving')
    .option('--data <dir>', 'data folder (env ASOF_DATA; default: ./data/demo)')
    .addHelpText('after', examples('asof demo --once'))
  addSettingOptions(command, processSettings.host, processSettings.port).action(async (flags: Flags) => {
    const context = await commandContext(flags, 'data/demo')
    await withHeldData(context, async (folder, signal) => {
      const { startServer } = await import('../http-service.ts')
      const { loadDemo } = await import('../demo/load.ts')
      const { nextSteps, tellStory } = await import('../demo/story.ts')
      // The server starts first, so that a port in use is reported before the work.
      const server = flags.once === true ? undefined : await startServer(folder, withoutLimits(context), 'error')
      try {
        const site = await loadDemo(folder.engine, context, signal)
        try {
          if (signal.aborted) return
          await tellStory(folder, site, context)
          if (!server) return
          context.print(nextSteps(server.url, site))
          context.print(`listening on ${server.url}`)
          await once(signal, 'abort')
        } finally {
          await site.close()
        }
      } finally {
        await server?.close()
      }
    })
  })
}
