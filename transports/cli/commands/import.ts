import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Command } from 'commander'
import { type ImportReport, importFolder, importJsonl } from '../../../crawler/index.ts'
import { printable } from '../../service/index.ts'
import { type CommandContext, commandContext, withSharedData } from '../command-context.ts'
import type { DataFolder } from '../data-folder.ts'
import type { Flags } from '../settings.ts'
import { UsageError } from '../usage-error.ts'

/** A file or folder to import. */
interface Source {
  name: string
  isFolder: boolean
}

async function sourceOf(name: string): Promise<Source> {
  const info = name === '-' ? undefined : await stat(name).catch(() => undefined)
  if (info?.isDirectory()) return { name, isFolder: true }
  if (name !== '-' && !info) throw new UsageError(`${name}: no such file or folder`)
  if (!/(?:^-|\.jsonl|\.ndjson)$/i.test(name)) {
    throw new UsageError(
      `${name}: only folders and JSONL files (.jsonl, .ndjson, - for standard input) can be imported`,
    )
  }
  return { name, isFolder: false }
}

function importSource(
  { engine }: DataFolder,
  { name, isFolder }: Source,
  { progress }: CommandContext,
  { signal, baseUrl }: { signal: AbortSignal; baseUrl: string | undefined },
): Promise<ImportReport> {
  const onProgress = ({ read, added, unchanged, failed }: Readonly<ImportReport>) =>
    progress.update(() => `importing ${name}: ${read} read, ${added} added, ${unchanged} unchanged, ${failed} failed`)
  if (isFolder) {
    return importFolder(engine, name, { signal, onProgress, ...(baseUrl === undefined ? {} : { baseUrl }) })
  }
  return importJsonl(engine, name === '-' ? process.stdin : createReadStream(name), { signal, onProgress })
}

function noteFailures(
  name: string,
  { errors, failed, datesDropped }: ImportReport,
  { progress }: CommandContext,
): void {
  for (const { where, message } of errors) progress.line(`${name}: ${where}: ${printable(message)}`)
  if (failed > errors.length) progress.line(`${name}: and ${failed - errors.length} more failures`)
  if (datesDropped > 0) progress.line(`${name}: ${datesDropped} publish dates after their acquisition were dropped`)
}

export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description('import JSONL files, and folders of HTML, Markdown and text')
    .argument('<file|folder...>', '- reads JSONL from standard input')
    .option('--base-url <url>', 'where a folder stands on the web; default file: URLs')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print one JSON document')
    .action(async (names: string[], { baseUrl, ...flags }: Flags & { baseUrl?: string }) => {
      const sources = await Promise.all(names.map(sourceOf))
      const context = await commandContext(flags)
      const total = { read: 0, added: 0, unchanged: 0, failed: 0 }
      const stopped = await withSharedData(context, async (folder, signal) => {
        for (const source of sources) {
          if (signal.aborted) break
          const report = await importSource(folder, source, context, { signal, baseUrl })
          noteFailures(source.name, report, context)
          for (const count of ['read', 'added', 'unchanged', 'failed'] as const) total[count] += report[count]
        }
        return signal.aborted
      })
      const { read, added, unchanged, failed } = total
      const text = `${read} read, ${added} added, ${unchanged} unchanged, ${failed} failed${stopped ? '; stopped' : ''}`
      context.print(context.json ? JSON.stringify(total) : text)
      if (failed > 0 || stopped) process.exitCode = 1
    })
}
