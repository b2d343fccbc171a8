import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Engine, Observation } from '@asof/core'
import type { Command } from 'commander'
import { commandContext, withSharedData } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { NewFile } from '../output/new-file.ts'
import { pluralize } from '../output/wording.ts'
import { wrap } from '../output/wrapped-text.ts'
import { dataOption, examples } from './shared-options.ts'

interface ExportFlags extends Flags {
  warc?: boolean
  out?: string
}

/** Writes a file. If the signal aborts, no file is left. */
async function writeFile(out: string, parts: AsyncIterable<string | Uint8Array>, signal: AbortSignal): Promise<void> {
  // Pages are public, so the file gets the usual permissions of the user's files (umask).
  const file = await NewFile.create(out, 0o666)
  try {
    for await (const part of parts) await file.write(part)
    if (signal.aborted) await file.discard()
    else await file.finish()
  } catch (error) {
    await file.discard()
    throw error
  }
}

const nothing = { versions: 0, removals: 0, sightings: 0, aliases: 0 }

type ExportCounts = typeof nothing

/** Exports an engine, and counts the exported observations by kind. */
class CountedExport implements Pick<Engine, 'exportAll'> {
  readonly counts: ExportCounts = { ...nothing }
  readonly #engine: Pick<Engine, 'exportAll'>

  constructor(engine: Pick<Engine, 'exportAll'>) {
    this.#engine = engine
  }

  async *exportAll(): AsyncGenerator<Observation> {
    for await (const observation of this.#engine.exportAll()) {
      if (observation.observed === 'removal') this.counts.removals++
      else if (observation.observed === 'sighting') this.counts.sightings++
      else if (observation.observed !== 'alias') this.counts.versions++
      if ('aliases' in observation) this.counts.aliases += observation.aliases?.length ?? 0
      yield observation
    }
  }
}

function countsText({ versions, removals, sightings, aliases }: ExportCounts): string {
  const known = aliases === 1 ? '1 alias' : `${aliases} aliases`
  return `${pluralize(versions, 'version')}, ${pluralize(removals, 'removal')}, ${pluralize(sightings, 'sighting')} and ${known}`
}

export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('export the whole history of all pages as JSONL or WARC, which asof import reads')
    .option('--warc', 'write WARC (default: if --out ends in .warc or .warc.gz, and JSONL otherwise)')
    .option('--out <file>', 'write to <file>, gzipped if it ends in .warc.gz (default: standard output)')
    .option(...dataOption)
    .option('--json', 'print the counts as one JSON document; needs --out')
    .addHelpText('after', examples('asof export --out pages.warc.gz'))
    .action(async ({ warc, out, ...flags }: ExportFlags) => {
      const context = await commandContext(flags)
      if (context.json && out === undefined)
        throw new UsageError('--json needs --out, because the captures are printed on standard output without it')
      const isWarc = warc ?? /\.warc(?:\.gz)?$/i.test(out ?? '')
      const gzip = /\.gz$/i.test(out ?? '')
      if (gzip && !isWarc)
        throw new UsageError(`${out}: only WARC can be gzipped; name a .warc.gz file or leave out .gz`)
      const { exportJsonl, exportWarc } = await import('../../../crawler/index.ts')
      const { counts, stopped } = await withSharedData(context, async ({ engine }, signal) => {
        const source = new CountedExport(engine)
        const parts = isWarc ? exportWarc(source, { gzip, signal }) : exportJsonl(source, signal)
        if (out === undefined) await pipeline(Readable.from(parts), process.stdout, { end: false })
        else await writeFile(out, parts, signal)
        return { counts: signal.aborted ? nothing : source.counts, stopped: signal.aborted }
      })
      if (stopped) process.exitCode = 1
      if (out === undefined) return
      const text = stopped ? `stopped: ${out} was not written` : `wrote ${countsText(counts)} to ${out}`
      context.print(context.json ? JSON.stringify({ ...counts, out }) : wrap(text))
    })
}
