import { once } from 'node:events'
import type { Command } from 'commander'
import { commandContext, withHeldData } from '../command-context.ts'
import type { Flags } from '../settings/settings.ts'

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('crawl a website, import documents, search them as of now and of the past, then serve the API')
    .option('--once', 'do not serve afterwards')
    .option('--host <host>', 'env ASOF_HOST, default 127.0.0.1')
    .option('--port <port>', 'env ASOF_PORT, default 8787; 0 picks a free one')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data/demo)')
    .action(async (flags: Flags) => {
      const context = await commandContext(flags, 'data/demo')
      await withHeldData(context, async (folder, signal) => {
        const { startServer } = await import('../http-service.ts')
        const { loadDemo } = await import('../demo/load.ts')
        const { nextSteps, tellStory } = await import('../demo/story.ts')
        // First of all, so that a port that is taken is known now and not after the work.
        const server = flags.once === true ? undefined : await startServer(folder, context, 'error')
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
