import path from 'node:path'
import type { Command } from 'commander'
import { commandContext, withSharedData } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { pluralize } from '../output/wording.ts'
import { wrap } from '../output/wrapped-text.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}

export function addBackupCommand(program: Command): void {
  program
    .command('backup')
    .description('copy the data folder into a new folder, also while it is in use')
    .argument('<dir>', 'folder to create; it may exist if it is empty')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof backup ./backup-2026-11-23 --data ./docs-index'))
    .action(async (dir: string, flags: Flags) => {
      const context = await commandContext(flags)
      const { progress } = context
      const target = path.resolve(dir)
      const report = await withSharedData(context, (folder, signal) =>
        folder.backup(target, {
          signal,
          onProgress: bytes => progress.update(() => `copied ${megabytes(bytes)}`),
        }),
      )
      const { instant, captures, urls, bytes } = report
      const at = new Date(instant).toISOString()
      const text = `copied ${pluralize(captures, 'capture')} of ${pluralize(urls, 'page')} (${megabytes(bytes)}), as of ${at}, to ${target}`
      context.print(context.json ? JSON.stringify({ dir: target, instant: at, captures, urls, bytes }) : wrap(text))
    })
}
