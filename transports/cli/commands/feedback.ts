import { type FileHandle, open, rename } from 'node:fs/promises'
import { Argument, type Command } from 'commander'
import type { TrecPart } from '../../../service/feedback/trec-export.ts'
import { commandContext, withData } from '../command-context.ts'
import { counted } from '../output/count-text.ts'
import { wrapped } from '../output/wrapped-text.ts'
import type { Flags } from '../settings/settings.ts'
import { UsageError } from '../usage-error.ts'
import { dataOption, examples } from './shared-options.ts'

/** The two files of an export. They have temporary names until they are complete. */
class ExportFiles {
  readonly #qrels: ExportFile
  readonly #topics: ExportFile

  private constructor(qrels: ExportFile, topics: ExportFile) {
    this.#qrels = qrels
    this.#topics = topics
  }

  static async create(out: string): Promise<ExportFiles> {
    return new ExportFiles(await createFile(out), await createFile(`${out}.topics.jsonl`))
  }

  async add({ qrels, topics }: TrecPart): Promise<void> {
    await this.#qrels.handle.write(qrels)
    await this.#topics.handle.write(topics)
  }

  async finish(): Promise<void> {
    for (const { name, handle } of [this.#qrels, this.#topics]) {
      await handle.sync()
      await handle.close()
      await rename(`${name}.partial`, name)
    }
  }
}

/** An open file under a temporary name, and its name to be. */
interface ExportFile {
  name: string
  handle: FileHandle
}

async function createFile(name: string): Promise<ExportFile> {
  try {
    return { name, handle: await open(`${name}.partial`, 'w', 0o600) }
  } catch (cause) {
    throw new UsageError(`${name} can't be written: is there such a folder, and may you write to it?`, { cause })
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
          : wrapped(
              `wrote ${counted(judgements, 'judgement')} of ${counted(topics, 'topic')} to ${out} and ${out}.topics.jsonl`,
            ),
      )
    })
}
