import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { Engine } from '@asof/core'
import type { Command } from 'commander'
import type { FileImportOptions, ImportOptions, ImportReport } from '../../../crawler/index.ts'
import { type DataFolder, ImportMark } from '../../../service/data-folder/index.ts'
import { printable } from '../../../service/index.ts'
import { type CommandContext, commandContext, withSharedData } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { pluralize } from '../output/wording.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

/** The form of a source: a folder, a file with one page, or a file with many pages. */
type Form = 'folder' | 'file' | 'jsonl' | 'warc' | 'wacz'

/** A file or folder to import. */
interface Source {
  /** `-` for standard input. */
  name: string
  form: Form
}

/** Returns true if `--base-url` applies: for a folder or a file with one page. */
function takesBaseUrl(form: Form): boolean {
  return form === 'folder' || form === 'file'
}

const forms: readonly [ending: RegExp, form: Form][] = [
  [/\.(?:jsonl|ndjson)$/i, 'jsonl'],
  [/\.warc(?:\.gz)?$/i, 'warc'],
  [/\.wacz$/i, 'wacz'],
]

async function sourceOf(name: string): Promise<Source> {
  if (name === '-') return { name, form: 'jsonl' }
  const info = await stat(name).catch(() => undefined)
  if (!info) throw new UsageError(`${name}: no such file or folder`)
  if (info.isDirectory()) return { name, form: 'folder' }
  const form = forms.find(([ending]) => ending.test(name))?.[1]
  if (form) return { name, form }
  const { importedEndings } = await import('../../../crawler/index.ts')
  if (importedEndings.includes(path.extname(name).toLowerCase())) return { name, form: 'file' }
  throw new UsageError(
    `${name} can't be imported: only folders, JSONL (.jsonl, .ndjson, - for standard input), WARC (.warc, .warc.gz), WACZ (.wacz) and files ending in ${importedEndings.join(', ')} can`,
  )
}

/**
 * Imports standard input: as WARC if the input begins with `WARC/` or with the first bytes of gzip, otherwise as JSON Lines.
 */
async function importStandardInput(engine: Engine, options: ImportOptions): Promise<ImportReport> {
  const chunks = process.stdin[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  const first = await chunks.next()
  async function* whole() {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value
  }
  const start = Buffer.from(first.value ?? []).subarray(0, 5)
  const isWarc = start.toString('latin1') === 'WARC/' || (start[0] === 0x1f && start[1] === 0x8b)
  const { importJsonl, importWarc } = await import('../../../crawler/index.ts')
  return await (isWarc ? importWarc : importJsonl)(engine, whole(), options)
}

async function importSource(
  { engine }: DataFolder,
  { name, form }: Source,
  { progress, dir }: CommandContext,
  { signal, baseUrl }: { signal: AbortSignal; baseUrl: string | undefined },
): Promise<ImportReport> {
  const mark = await ImportMark.of(dir, name)
  if (mark.done > 0) progress.line(`${name}: resuming after the first ${mark.done} pages, which are in the index`)
  const onProgress = (report: Readonly<ImportReport>) => {
    mark.reached(report.read)
    progress.update(() => `importing ${name}: ${countsOf(report)}`)
  }
  const options = { signal, onProgress, skip: mark.done }
  const placed = takesBaseUrl(form) && baseUrl !== undefined ? { baseUrl } : {}
  const report = await importForm(engine, name, form, { ...options, ...placed })
  await mark.end(!signal.aborted)
  return report
}

async function importForm(engine: Engine, name: string, form: Form, options: FileImportOptions): Promise<ImportReport> {
  if (name === '-') return await importStandardInput(engine, options)
  const { importFiles, importJsonl, importWacz, importWarc } = await import('../../../crawler/index.ts')
  switch (form) {
    case 'folder':
    case 'file':
      return await importFiles(engine, name, options)
    case 'warc':
      return await importWarc(engine, createReadStream(name), options)
    case 'wacz':
      return await importWacz(engine, name, options)
    case 'jsonl':
      return await importJsonl(engine, createReadStream(name), options)
  }
}

const SHOWN_ENDINGS = 8

/** Returns the line about files that were left out because of their endings: `left out 3 files: 2 .png, 1 .css`. */
function leftOutText(leftOut: Readonly<Record<string, number>>): string | undefined {
  const endings = Object.entries(leftOut).sort(([, a], [, b]) => b - a)
  if (endings.length === 0) return undefined
  const shown = endings
    .slice(0, SHOWN_ENDINGS)
    .map(([ending, count]) => `${count} ${printable(ending) || 'without one'}`)
  const files = pluralize(
    endings.reduce((sum, [, count]) => sum + count, 0),
    'file',
  )
  return `left out ${files} with other endings: ${shown.join(', ')}${endings.length > shown.length ? ', …' : ''}`
}

function noteFailures(
  name: string,
  { errors, failed, warned, warnings, unknownFields, leftOut, read }: ImportReport,
  { progress }: CommandContext,
): void {
  const others = leftOutText(leftOut)
  if (others !== undefined) progress.line(`${name}: ${others}`)
  if (read === 0) progress.line(`${name}: there is nothing to import`)
  for (const { where, field, hint } of unknownFields)
    progress.line(`${name}: ${where}: unknown field ${printable(field)}, which is ignored; ${hint}`)
  for (const { where, message } of errors) progress.line(`${name}: ${where}: ${printable(message)}`)
  if (failed > errors.length) progress.line(`${name}: and ${failed - errors.length} more failures`)
  for (const { where, field, reason } of warned)
    progress.line(`${name}: ${printable(where)}: ${field}: ${printable(reason)}`)
  if (warnings > warned.length)
    progress.line(`${name}: and ${warnings - warned.length} more values were dropped or cut`)
}

const counts = ['read', 'added', 'revised', 'unchanged', 'removed', 'failed', 'warnings'] as const

type ImportCounts = Pick<ImportReport, (typeof counts)[number]>

function countsOf({ read, added, revised, unchanged, removed, failed, warnings }: ImportCounts): string {
  const changed = revised > 0 ? `${revised} revised, ` : ''
  const gone = removed > 0 ? `${removed} removed, ` : ''
  const cut = warnings > 0 ? `, ${pluralize(warnings, 'value')} dropped or cut` : ''
  return `${read} read, ${added} added, ${changed}${unchanged} unchanged, ${gone}${failed} failed${cut}`
}

/**
 * Returns the JSON document of an import. The fields `revised`, `removed`, `warnings` and `unknown_fields` are absent if they
 * would be empty or 0.
 */
function documentOf(
  { read, added, revised, unchanged, removed, failed, warnings }: ImportCounts,
  unknownFields: ReadonlySet<string>,
): string {
  const rare = { revised: revised || undefined, removed: removed || undefined, warnings: warnings || undefined }
  const unknown = unknownFields.size > 0 ? [...unknownFields] : undefined
  return JSON.stringify({ read, added, unchanged, failed, ...rare, unknown_fields: unknown })
}

export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description(
      'add JSONL, WARC and WACZ files, and HTML, Markdown, text, PDF, EPUB and Office files or folders of them; run again to resume',
    )
    .argument('<file|folder...>', 'files and folders to add; - reads JSONL or WARC from standard input')
    .option(
      '--base-url <url>',
      'address of the imported folder, or of the folder of a file, on the web (default: pages have file: URLs)',
    )
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      examples('asof import pages.jsonl crawl.warc.gz', 'asof import ./site --base-url https://example.com/'),
    )
    .action(async (names: string[], { baseUrl, ...flags }: Flags & { baseUrl?: string }) => {
      const sources = await Promise.all(names.map(sourceOf))
      if (baseUrl !== undefined && !sources.some(({ form }) => takesBaseUrl(form)))
        throw new UsageError(
          '--base-url is the address of a folder on the web, but neither a folder nor a page is imported',
        )
      const context = await commandContext(flags)
      const total = { read: 0, added: 0, revised: 0, unchanged: 0, removed: 0, failed: 0, warnings: 0 }
      const unknownFields = new Set<string>()
      const stopped = await withSharedData(
        context,
        async (folder, signal) => {
          for (const source of sources) {
            if (signal.aborted) break
            const report = await importSource(folder, source, context, { signal, baseUrl })
            noteFailures(source.name, report, context)
            for (const count of counts) total[count] += report[count]
            for (const { field } of report.unknownFields) unknownFields.add(field)
          }
          return signal.aborted
        },
        { create: true },
      )
      const { failed, read } = total
      const text = `${countsOf(total)}${stopped ? '; stopped' : ''}`
      context.print(context.json ? documentOf(total, unknownFields) : text)
      if (failed > 0 || read === 0 || stopped) process.exitCode = 1
    })
}
