import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import { commandContext, withSharedData } from '../command-context.ts'
import type { Flags } from '../settings/settings.ts'
import { UsageError } from '../usage-error.ts'

interface ExportFlags extends Flags {
  warc?: boolean
  out?: string
}

/** Writes a file that gets its name when it is whole. */
async function writeFile(out: string, parts: AsyncIterable<string | Uint8Array>, signal: AbortSignal): Promise<void> {
  const partial = `${out}.partial`
  try {
    await pipeline(Readable.from(parts), createWriteStream(partial, { flush: true }))
    if (signal.aborted) await rm(partial)
    else await rename(partial, out)
  } catch (error) {
    await rm(partial, { force: true })
    const isOurs = error instanceof Error && 'syscall' in error && error.syscall === 'open'
    throw isOurs ? new UsageError(`${out} can't be written`, { cause: error }) : error
  }
}

export function addExportCommand(program: Command): void {
  program
    .command('export')
    .description('write every capture, as JSON lines or WARC, which `asof import` reads')
    .option('--warc', 'write WARC; default where --out names a .warc or .warc.gz file')
    .option('--out <file>', 'write there, gzipped when it ends in .gz; default: to standard output')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print the count as one JSON document; with --out')
    .action(async ({ warc, out, ...flags }: ExportFlags) => {
      const context = await commandContext(flags)
      if (context.json && out === undefined)
        throw new UsageError('--json needs --out: standard output holds the captures')
      const isWarc = warc ?? /\.warc(?:\.gz)?$/i.test(out ?? '')
      const gzip = /\.gz$/i.test(out ?? '')
      if (gzip && !isWarc) throw new UsageError(`${out}: only WARC is gzipped`)
      const { exportJsonl, exportWarc } = await import('../../../crawler/index.ts')
      const { captures, stopped } = await withSharedData(context, async ({ engine }, signal) => {
        // A WARC file begins with a record about itself.
        let captures = isWarc ? -1 : 0
        async function* counted() {
          for await (const part of isWarc ? exportWarc(engine, { gzip, signal }) : exportJsonl(engine, signal)) {
            captures++
            yield part
          }
        }
        if (out === undefined) await pipeline(Readable.from(counted()), process.stdout, { end: false })
        else await writeFile(out, counted(), signal)
        return { captures, stopped: signal.aborted }
      })
      if (stopped) process.exitCode = 1
      if (out === undefined) return
      const text = stopped ? `stopped: ${out} is not written` : `${captures} captures are in ${out}`
      context.print(context.json ? JSON.stringify({ captures: stopped ? 0 : captures, out }) : text)
    })
}
