import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { BulkReport, FieldFilter, PageSelection } from '@asof/core'
import { parseExactJson } from '@asof/extract/exact-json'
import type { Command } from 'commander'
import { type CommandContext, commandContext, withData, withSharedData } from '../command-context.ts'
import { CommandFailure, UsageError } from '../command-failure.ts'
import { isConfirmed, type Terminal } from '../confirmation.ts'
import type { Flags } from '../flags.ts'
import { pluralize } from '../output/wording.ts'
import { wrap } from '../output/wrapped-text.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

/** The flags that select several pages. */
interface SelectionFlags extends Flags {
  at?: string
  site?: string
  prefix?: string
  filter?: string
  urls?: string
  all?: boolean
  dryRun?: boolean
  yes?: boolean
}

/**
 * Returns the selection that the flags make; undefined if one page is named.
 *
 * @throws UsageError - the flags do not go together, or none names a page.
 */
function selectionOf(
  url: string | undefined,
  { site, prefix, filter, urls, all }: SelectionFlags,
): PageSelection | undefined {
  const hasConditions = [site, prefix, filter].some(flag => flag !== undefined)
  const isSelected = hasConditions || urls !== undefined || all === true
  if (url !== undefined && isSelected)
    throw new UsageError('name either one page, or pages by --site, --prefix, --filter, --urls or --all')
  if (url === undefined && !isSelected)
    throw new UsageError('name a page by its address, or pages by --site, --prefix, --filter, --urls or --all')
  if (url !== undefined) return undefined
  if (urls !== undefined && (hasConditions || all))
    throw new UsageError('--urls cannot be combined with --site, --prefix, --filter and --all')
  if (all && hasConditions) throw new UsageError('--all cannot be combined with --site, --prefix and --filter')
  if (all) return { all }
  return urls === undefined
    ? { site, prefix, filter: filter === undefined ? undefined : filterOf(filter) }
    : { urls: { [Symbol.asyncIterator]: () => linesOf(urls) } }
}

function filterOf(text: string): FieldFilter {
  try {
    return parseExactJson(text) as FieldFilter
  } catch {
    throw new UsageError(`--filter must be JSON, such as '{"price": {"lt": 20}}'`)
  }
}

/** Yields the lines of a file, or of standard input for `-`, without blank ones. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const input = file === '-' ? process.stdin : createReadStream(file)
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line.trim() !== '') yield line.trim()
}

type Deletion = 'removeAll' | 'purgeAll'

function countText(op: Deletion, { pages, captures }: BulkReport): string {
  return op === 'removeAll'
    ? pluralize(pages, 'page')
    : `${pluralize(captures, 'version')} of ${pluralize(pages, 'page')}`
}

/** True if the addresses in a file can be read again after they were counted. Those of a pipe cannot. */
async function canBeReadAgain(file: string): Promise<boolean> {
  return file !== '-' && (await stat(file)).isFile()
}

/**
 * Asks whether the pages of a selection are meant, with their number. Does not ask if the selection has no page.
 *
 * @throws UsageError - nobody can be asked. The text has the number.
 */
async function isMeant(
  op: Deletion,
  trial: BulkReport,
  { urls }: SelectionFlags,
  terminal: Terminal | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const isReadable = urls === undefined || (await canBeReadAgain(urls))
  if (trial.pages === 0 && isReadable) return true
  const count = countText(op, trial)
  if (!terminal || !isReadable)
    throw new UsageError(
      `nothing was deleted: this would ${op === 'removeAll' ? 'remove' : 'purge'} ${count}; repeat the command with --yes if that is meant`,
    )
  const question = op === 'removeAll' ? `Remove ${count}?` : `Purge ${count}, for good?`
  return isConfirmed(question, terminal, signal)
}

/** Deletes the pages of a selection, and prints the report. */
async function deleteAll(
  op: Deletion,
  selection: PageSelection,
  flags: SelectionFlags,
  context: CommandContext,
): Promise<void> {
  const { at, dryRun = false, yes = false } = flags
  const done = op === 'removeAll' ? 'removed' : 'purged'
  const report = await withSharedData(context, async ({ engine }, signal) => {
    const run = (dryRun: boolean) => {
      const verb = dryRun ? 'counted' : done
      const onProgress = ({ pages }: BulkReport) => context.progress.update(() => `${verb} ${pluralize(pages, 'page')}`)
      return engine[op](selection, { at, dryRun, signal, onProgress })
    }
    if (dryRun || yes) return run(dryRun)
    const trial = await run(true)
    context.progress.clear()
    return trial.finished && (await isMeant(op, trial, flags, context.terminal, signal)) ? run(false) : undefined
  })
  if (!report) throw new CommandFailure('nothing was deleted')
  const { pages, captures, failed, failures, finished } = report
  for (const { url, message } of failures) context.progress.line(`${url}: ${message}`)
  if (failed > failures.length)
    context.progress.line(`and ${failed - failures.length} more addresses that are not valid`)
  const counts = op === 'removeAll' ? { removed: pages } : { pages, purged: captures }
  const text = countText(op, report)
  const verb = dryRun ? `would have ${done}` : done
  const rest = finished ? '' : '; stopped: run the same command again to finish'
  context.print(
    context.json
      ? JSON.stringify({ ...counts, failed, finished, dry_run: dryRun || undefined })
      : wrap(`${verb} ${text}${failed > 0 ? `, ${failed} addresses are not valid` : ''}${rest}`),
  )
  if (pages === 0 || failed > 0 || !finished) process.exitCode = 1
}

/** Adds the options that select several pages. */
function addSelectionOptions(command: Command): void {
  command
    .option('--site <domain>', 'all pages of a domain and its subdomains')
    .option('--prefix <url>', 'all pages whose address begins so, such as https://example.com/old/')
    .option('--filter <json>', `all pages whose fields fulfill conditions, such as '{"price": {"lt": 20}}'`)
    .option('--urls <file>', 'the addresses in a file, one a line; - reads standard input')
    .option('--all', 'all pages of the index')
    .option('--dry-run', 'change nothing, and say how many pages it would be')
    .option('--yes', 'do not ask: delete the selected pages without showing their number first')
}

export function addRemovalCommands(program: Command): void {
  const remove = program
    .command('remove')
    .description('remove pages from now on, or from a time in the past on; searches before that still find them')
    .argument('[url]', 'address of a page')
    .option('--at <time>', 'when the pages were gone: a date or timestamp of the past (default: now)')
  addSelectionOptions(remove)
  remove
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      examples(
        'asof remove https://example.com/old-page',
        'asof remove https://example.com/old-page --at 2022-03-01',
        'asof remove --prefix https://example.com/old/ --dry-run',
      ),
    )
    .action(async (url: string | undefined, flags: SelectionFlags) => {
      const selection = selectionOf(url, flags)
      const context = await commandContext(flags)
      if (selection) return await deleteAll('removeAll', selection, flags, context)
      const { at } = flags
      if (flags.dryRun) return await deleteAll('removeAll', { urls: [url as string] }, flags, context)
      const removed = await withData(context, folder => folder.engine.remove(url as string, { at }))
      const declared = at !== undefined
      const absent = declared
        ? 'the index held no such page then; the removal is recorded, and a page that is imported later with an earlier time will end there'
        : 'the index holds no such page'
      context.print(
        context.json
          ? JSON.stringify({ removed, declared: declared || undefined })
          : wrap(removed ? 'removed' : absent),
      )
      if (!removed && !declared) process.exitCode = 1
    })
  const purge = program
    .command('purge')
    .description('delete every version of pages for good; searches of the past no longer find them')
    .argument('[url]', 'address of a page')
    .option('--at <time>', 'with --site, --prefix, --filter or --all: the pages that the index had at this time')
  addSelectionOptions(purge)
  purge
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText(
      'after',
      examples(
        'asof purge https://example.com/private-page',
        'asof purge --site example.com',
        'asof purge --urls gone.txt --yes',
      ),
    )
    .action(async (url: string | undefined, flags: SelectionFlags) => {
      const selection = selectionOf(url, flags)
      if (flags.at !== undefined && (url !== undefined || flags.urls !== undefined))
        throw new UsageError(
          '--at goes with --site, --prefix, --filter or --all: named pages are purged from all of time',
        )
      const context = await commandContext(flags)
      if (selection) return await deleteAll('purgeAll', selection, flags, context)
      if (flags.dryRun) return await deleteAll('purgeAll', { urls: [url as string] }, flags, context)
      const purged = await withData(context, folder => folder.engine.purge(url as string))
      context.print(context.json ? JSON.stringify({ purged }) : `purged ${pluralize(purged, 'version')}`)
      if (purged === 0) process.exitCode = 1
    })
}
