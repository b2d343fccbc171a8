import path from 'node:path'
import type { Command } from 'commander'
import { commandContext, withSharedData } from '../command-context.ts'
import type { Flags } from '../settings/settings.ts'

const MEGABYTE = 1024 * 1024

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('copy the data folder, while it is in use, into a new one')
    .argument('<dir>', 'must not exist, or be empty')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print one JSON document')
    .action(async (dir: string, flags: Flags) => {
      const context = await commandContext(flags)
      const { progress } = context
      const target = path.resolve(dir)
      const report = await withSharedData(context, (folder, signal) =>
        folder.backup(target, {
          signal,
          onProgress: bytes => progress.update(() => `copied ${Math.round(bytes / MEGABYTE)} MB`),
        }),
      )
      const { instant, captures, urls, bytes } = report
      const at = new Date(instant).toISOString()
      const text = `${captures} captures of ${urls} pages, ${Math.round(bytes / MEGABYTE)} MB, as of ${at}, are in ${target}`
      context.print(context.json ? JSON.stringify({ dir: target, instant: at, captures, urls, bytes }) : text)
    })
}
