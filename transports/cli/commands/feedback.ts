import { type FileHandle, open, rename } from 'node:fs/promises'
import { Argument, type Command } from 'commander'
import type { TrecPart } from '../../service/feedback/trec-export.ts'
import { commandContext, withData } from '../command-context.ts'
import { wrapped } from '../output/wrapped-text.ts'
import type { Flags } from '../settings/settings.ts'
import { UsageError } from '../usage-error.ts'
import { dataOption, examples } from './shared-options.ts'

/** The two files of an export. They have temporary names until they are complete. */
class ExportFiles {
  readonly #names: readonly [qrels: string, topics: string]
  readonly #files: readonly [FileHandle, FileHandle]

  private constructor(names: readonly [string, string], files: readonly [FileHandle, FileHandle]) {
    this.#names = names
    this.#files = files
  }

  static async create(out: string): Promise<ExportFiles> {
    const names = [out, `${out}.topics.jsonl`] as const
    const create = (name: string) =>
      open(`${name}.partial`, 'w', 0o600).catch((cause: unknown) => {
        throw new UsageError(`${name} can't be written: is there such a folder, and may you write to it?`, { cause })
      })
    return new ExportFiles(names, [await create(names[0]), await create(names[1])])
  }

  async add({ qrels, topics }: TrecPart): Promise<void> {
    await this.#files[0].write(qrels)
    await this.#files[1].write(topics)
  }

  async finish(): Promise<void> {
    for (const [at, file] of this.#files.entries()) {
      await file.sync()
      await file.close()
      await rename(`${this.#names[at]}.partial`, this.#names[at]!)
    }
  }
}

export function addFeedbackCommand(program: Command): void {
  program
    .command('feedback')
    .description('export the relevance judgements of callers as TREC qrels')
    .addArgument(new Argument('<action>', 'the only action is export').choices(['export']))
    .option(
      '--out <file>',
      'write the qrels to <file> and the topics to <file>.topics.jsonl (default: print the qrels)',
    )
    .option(...dataOption)
    .option('--json', 'print the counts as one JSON document; needs --out')
    .addHelpText('after', examples('asof feedback export --out judgements.qrels'))
    .action(async (_action: string, { out, ...flags }: Flags & { out?: string }) => {
      const context = await commandContext(flags)
      if (context.json && out === undefined)
        throw new UsageError('--json needs --out, because the qrels are printed on standard output without it')
      const files = out === undefined ? undefined : await ExportFiles.create(out)
      let topics = 0
      let judgements = 0
      await withData(context, folder =>
        folder.exportFeedback(async part => {
          topics += 1
          judgements += part.judgements
          if (files) await files.add(part)
          else context.print(part.qrels.trimEnd())
        }),
      )
      if (!files) return
      await files.finish()
      context.print(
        context.json
          ? JSON.stringify({ topics, judgements, qrels: out, topics_file: `${out}.topics.jsonl` })
          : wrapped(`wrote ${judgements} judgements of ${topics} topics to ${out} and ${out}.topics.jsonl`),
      )
    })
}
