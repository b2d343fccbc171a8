import { once } from 'node:events'
import type { Command } from 'commander'
import { commandContext, withHeldData } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { addSettingOptions, type Setting } from '../settings/setting.ts'
import { settingGroups, settingTables } from '../settings/settings.ts'
import { dataOption, examples } from './shared-options.ts'

export function addServeCommand(program: Command): void {
  const command = program.command('serve').description('serve the HTTP API until SIGTERM or Ctrl-C')
  command.option(...dataOption)
  for (const [heading, tables] of settingGroups) {
    command.optionsGroup(heading)
    const settings = tables.flatMap(table => Object.values<Setting>(settingTables[table]))
    addSettingOptions(command, ...settings.filter(({ flag }) => flag !== undefined))
  }
  command.addHelpText('after', examples('asof serve --data ./docs-index --port 8787')).action(async (flags: Flags) => {
    const context = await commandContext(flags)
    await withHeldData(context, async (folder, signal) => {
      // The server is loaded here, so that other commands start faster.
      const { startServer } = await import('../http-service.ts')
      const server = await startServer(folder, context, 'info')
      const { sealedAt } = context.settings
      context.print(`listening on ${server.url}`)
      if (sealedAt !== undefined) context.print(`sealed at ${new Date(sealedAt).toISOString()}`)
      if (!signal.aborted) await once(signal, 'abort')
      await server.close()
    })
  })
}
