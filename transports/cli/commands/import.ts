import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { constants, gunzipSync } from 'node:zlib'
import { isAsofError } from '@asof/core'
import { isError } from '@asof/extract/errors'
import type { Command } from 'commander'
import type { FileImportOptions, ImportReport, ImportTarget, RecordImportOptions } from '../../../crawler/index.ts'
import { ImportMark } from '../../../service/data-folder/index.ts'
import { printable } from '../../../service/index.ts'
import type { Client } from '../../client/index.ts'
import { type CommandContext, commandContext, onInterrupt, withSharedData } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { lossesText } from '../output/crawl-text.ts'
import { pluralize } from '../output/wording.ts'
import { joinItems } from '../output/wrapped-text.ts'
import { administeredOption, administeredServer } from '../remote-server.ts'
import { dataOption, examples, jsonOption, vectorsIn, vectorsOption } from './shared-options.ts'

/** The form of a source: a folder, a file with one page, or a file with many pages. */
type Form = 'folder' | 'file' | 'jsonl' | 'json' | 'csv' | 'warc' | 'wacz'

/** A file or folder to import. */
interface Source {
  /** `-` for standard input. */
  name: string
  form: Form
}

/** Returns true if `--map` applies. */
function isOfRecords(form: Form): boolean {
  return form === 'jsonl' || form === 'json' || form === 'csv'
}

/** Returns true if `--base-url` applies: for a folder, a file with one page, or records, whose URLs may be relative. */
function takesBaseUrl(form: Form): boolean {
  return form === 'folder' || form === 'file' || isOfRecords(form)
}

const forms: readonly [ending: RegExp, form: Form][] = [
  [/\.(?:jsonl|ndjson)(?:\.gz|\.zst)?$/i, 'jsonl'],
  [/\.json(?:\.gz|\.zst)?$/i, 'json'],
  [/\.(?:csv|tsv)(?:\.gz|\.zst)?$/i, 'csv'],
  [/\.warc(?:\.gz|\.zst)?$/i, 'warc'],
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
    `${name} can't be imported: only folders, JSONL (.jsonl, .ndjson, - for standard input), JSON (.json) and CSV (.csv, .tsv), each also .gz or .zst, WARC (.warc, also .gz or .zst), WACZ (.wacz) and files ending in ${importedEndings.join(', ')} can`,
  )
}

/** Imports standard input. It is WARC if it begins with `WARC/`, also in gzip, and JSON Lines otherwise. */
async function importStandardInput(engine: ImportTarget, options: RecordImportOptions): Promise<ImportReport> {
  const chunks = process.stdin[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  const first = await chunks.next()
  async function* whole() {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value
  }
  const { importJsonl, importWarc } = await import('../../../crawler/index.ts')
  const { map, baseUrl, ...plain } = options
  return startsAsWarc(Buffer.from(first.value ?? []))
    ? await importWarc(engine, whole(), plain)
    : await importJsonl(engine, whole(), options)
}

function startsAsWarc(start: Buffer): boolean {
  const isGzip = start[0] === 0x1f && start[1] === 0x8b
  // Only the beginning of the data is there, so the end of the compressed data is missing.
  const text = isGzip ? gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH }) : start
  return text.subarray(0, 5).toString('latin1') === 'WARC/'
}

interface SourceOptions extends Pick<RecordImportOptions, 'baseUrl' | 'map' | 'vectors'> {
  signal: AbortSignal
  /** Called after each commit with the report so far. */
  onReport: (report: Readonly<ImportReport>) => void
  /** How far an earlier import of the source came. Undefined if that is not known, as for a server. */
  mark?: ImportMark | undefined
}

async function importSource(
  target: ImportTarget,
  { name, form }: Source,
  { progress }: CommandContext,
  { signal, baseUrl, map, vectors, onReport, mark }: SourceOptions,
): Promise<ImportReport> {
  const skip = mark?.done ?? 0
  if (skip > 0) progress.line(`${name}: resuming after the first ${skip} pages, which are in the index`)
  const onProgress = (report: Readonly<ImportReport>) => {
    mark?.reached(report.read)
    onReport(report)
    progress.update(() => `importing ${name}: ${countsOf(report).join(', ')}`)
  }
  const options: FileImportOptions & RecordImportOptions = { signal, onProgress, skip, vectors }
  if (takesBaseUrl(form)) options.baseUrl = baseUrl
  if (isOfRecords(form)) options.map = map
  const report = await importForm(target, name, form, options)
  await mark?.end(!signal.aborted)
  return report
}

/** True if a file is not what its name says, or cannot be read. Other files can be imported nevertheless. */
function isOfSource(error: unknown): error is Error {
  return isAsofError(error, 'ASOF_INVALID_CAPTURE') || (isError(error) && 'syscall' in error)
}

async function importForm(
  engine: ImportTarget,
  name: string,
  form: Form,
  options: FileImportOptions & RecordImportOptions,
): Promise<ImportReport> {
  if (name === '-') return await importStandardInput(engine, options)
  const { importCsv, importFiles, importJson, importJsonl, importWacz, importWarc } = await import(
    '../../../crawler/index.ts'
  )
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
    case 'json':
      return await importJson(engine, createReadStream(name), options)
    case 'csv':
      return await importCsv(engine, createReadStream(name), options)
  }
}

/**
 * Parses `--map url=_id,text=body`.
 *
 * @throws UsageError - a part is not of the form FIELD=NAME, or a field occurs twice.
 */
function mapOf(text: string): Record<string, string> {
  const map = new Map<string, string>()
  for (const part of text.split(',')) {
    const [, target = '', source = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(part) ?? []
    if (target === '' || source === '')
      throw new UsageError(`--map has ${JSON.stringify(part)}; each part must be FIELD=NAME, as in url=_id,text=body`)
    if (map.has(target)) throw new UsageError(`--map names ${target} twice`)
    map.set(target, source)
  }
  return Object.fromEntries(map)
}

const SHOWN_ENDINGS = 8

/** Returns a line such as `left out 3 files with other endings: 2 .png, 1 .css`; undefined if no file was left out. */
function leftOutText(leftOut: Readonly<Record<string, number>>, what: string, why: string): string | undefined {
  const endings = Object.entries(leftOut).sort(([, a], [, b]) => b - a)
  if (endings.length === 0) return undefined
  const shown = endings
    .slice(0, SHOWN_ENDINGS)
    .map(([ending, count]) => `${count} ${printable(ending) || 'without one'}`)
  const files = pluralize(
    endings.reduce((sum, [, count]) => sum + count, 0),
    what,
  )
  return `left out ${files} ${why}: ${shown.join(', ')}${endings.length > shown.length ? ', …' : ''}`
}

function noteFailures(
  name: string,
  {
    failures,
    failed,
    warned,
    warnings,
    unknownFields,
    unresolvedRevisitUrls,
    leftOut,
    otherXml,
    read,
    ...losses
  }: ImportReport,
  { progress }: CommandContext,
): void {
  for (const line of [
    leftOutText(leftOut, 'file', 'with other endings'),
    leftOutText(otherXml, 'XML file', 'of data or without text'),
  ])
    if (line !== undefined) progress.line(`${name}: ${line}`)
  if (read === 0) progress.line(`${name}: there is nothing to import`)
  for (const line of lossesText(losses)) progress.line(`${name}: ${line}`)
  for (const url of unresolvedRevisitUrls)
    progress.line(`${name}: revisit of ${url}, whose content is in neither this file nor the index`)
  for (const { where, field, hint } of unknownFields)
    progress.line(`${name}: ${where}: unknown field ${field}, which is ignored; ${hint}`)
  for (const { where, message } of failures) progress.line(`${name}: ${where}: ${message}`)
  if (failed > failures.length) progress.line(`${name}: and ${failed - failures.length} more failures`)
  for (const { where, field, reason } of warned) progress.line(`${name}: ${where}: ${field}: ${reason}`)
  if (warnings > warned.length)
    progress.line(`${name}: and ${warnings - warned.length} more values were dropped or cut`)
}

const changeCounts = ['read', 'added', 'revised', 'unchanged', 'removed', 'failed'] as const
const counts = [...changeCounts, 'warnings', 'withoutText', 'replacedCharacters', 'unresolvedRevisits'] as const

type ImportCounts = Pick<ImportReport, (typeof counts)[number]>

function noCounts(): ImportCounts {
  const changes = { read: 0, added: 0, revised: 0, unchanged: 0, removed: 0 }
  return { ...changes, failed: 0, warnings: 0, withoutText: 0, replacedCharacters: 0, unresolvedRevisits: 0 }
}

/** Returns the counts in words. Some are left out if they are 0. */
function countsOf(total: ImportCounts): string[] {
  const { read, added, revised, unchanged, removed, failed } = total
  const { warnings, withoutText, replacedCharacters, unresolvedRevisits } = total
  return [
    `${read} read`,
    `${added} added`,
    revised > 0 && `${revised} revised`,
    `${unchanged} unchanged`,
    removed > 0 && `${removed} removed`,
    `${failed} failed`,
    warnings > 0 && `${pluralize(warnings, 'value')} dropped or cut`,
    withoutText > 0 && `${withoutText} without text`,
    replacedCharacters > 0 && `${pluralize(replacedCharacters, 'character')} not decoded`,
    unresolvedRevisits > 0 && `${pluralize(unresolvedRevisits, 'revisit')} of unknown content`,
  ].filter(count => count !== false)
}

/**
 * Returns the JSON document of an import. Fields besides `read`, `added`, `unchanged` and `failed` are absent if they would be
 * empty or 0.
 */
function documentOf(
  { read, added, unchanged, failed, ...others }: ImportCounts,
  unknownFields: ReadonlySet<string>,
): string {
  const { revised, removed, warnings, withoutText, replacedCharacters, unresolvedRevisits } = others
  const rare = { revised: revised || undefined, removed: removed || undefined, warnings: warnings || undefined }
  const losses = {
    without_text: withoutText || undefined,
    replaced_characters: replacedCharacters || undefined,
    unresolved_revisits: unresolvedRevisits || undefined,
  }
  const unknown = unknownFields.size > 0 ? [...unknownFields] : undefined
  return JSON.stringify({ read, added, unchanged, failed, ...rare, ...losses, unknown_fields: unknown })
}

/** Returns the index of a server as the target of an import. */
async function remote(server: Client): Promise<ImportTarget> {
  const { remoteTarget } = await import('../remote-target.ts')
  return remoteTarget(server)
}

export function addImportCommand(program: Command): void {
  program
    .command('import')
    .description(
      'add JSONL, JSON, CSV, WARC and WACZ files, and HTML, Markdown, text, PDF, EPUB, Office and XML files or folders of them; run again to resume',
    )
    .argument('<file|folder...>', 'files and folders to add; - reads JSONL or WARC from standard input')
    .option(
      '--base-url <url>',
      'address of the imported folder, or of the folder of a file, on the web (default: pages have file: URLs); base of relative URLs in records',
    )
    .option('--map <map>', 'names of fields in JSON and CSV, such as url=_id,text=body,fields.price:number=cost')
    .option(...vectorsOption)
    .option(...administeredOption)
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      examples(
        'asof import pages.jsonl crawl.warc.gz',
        'asof import ./site --base-url https://example.com/',
        'asof import shop.csv.gz --map url=link,text=body,fields.price:number=cost',
      ),
    )
    .action(
      async (names: string[], { baseUrl, map: mapText, ...flags }: Flags & { baseUrl?: string; map?: string }) => {
        const map = mapText === undefined ? undefined : mapOf(mapText)
        const sources = await Promise.all(names.map(sourceOf))
        if (baseUrl !== undefined && !sources.some(({ form }) => takesBaseUrl(form)))
          throw new UsageError('--base-url is for folders, pages and records, and none of these is imported')
        if (map !== undefined && !sources.some(({ form }) => isOfRecords(form)))
          throw new UsageError('--map is for JSON and CSV, and neither is imported')
        const server = administeredServer(flags, process.env)
        const vectors = vectorsIn(flags, server !== undefined)
        const context = await commandContext(flags)
        const total = noCounts()
        const unknownFields = new Set<string>()
        const importAll = async (target: ImportTarget, signal: AbortSignal, isRemote: boolean) => {
          for (const source of sources) {
            if (signal.aborted) break
            let last: Readonly<ImportReport> | undefined
            const onReport = (report: Readonly<ImportReport>) => {
              last = report
            }
            const mark = isRemote ? undefined : await ImportMark.of(context.dir, source.name)
            const given = { signal, baseUrl, map, vectors, onReport, mark }
            const report = await importSource(target, source, context, given).catch((error: unknown) => {
              if (sources.length === 1 || !isOfSource(error)) throw error
              context.progress.line(`${source.name}: ${error.message}`)
              for (const count of counts) total[count] += last?.[count] ?? 0
              total.failed++
            })
            if (!report) continue
            noteFailures(source.name, report, context)
            for (const count of counts) total[count] += report[count]
            for (const { field } of report.unknownFields) unknownFields.add(field)
          }
          return signal.aborted
        }
        const stopped = server
          ? await importAll(
              await remote(server),
              onInterrupt(line => context.progress.line(`asof: ${line}`)),
              true,
            )
          : await withSharedData(context, ({ engine }, signal) => importAll(engine, signal, false), { create: true })
        const { failed, read } = total
        const items = stopped ? [...countsOf(total), 'stopped'] : countsOf(total)
        context.print(context.json ? documentOf(total, unknownFields) : joinItems(items, '', '  '))
        if (failed > 0 || read === 0 || stopped) process.exitCode = 1
      },
    )
}
