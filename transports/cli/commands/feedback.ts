import type { Command } from 'commander'
import { commandContext, withData } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { writeFiles } from '../output/new-file.ts'
import { pluralize } from '../output/wording.ts'
import { wrap } from '../output/wrapped-text.ts'
import { dataOption, examples } from './shared-options.ts'

export function addFeedbackCommand(program: Command): void {
  program
    .command('feedback')
    .helpCommand(false)
    .description('export the relevance judgments of callers')
    .command('export')
    .description('export the relevance judgments of callers as TREC qrels')
    .option(
      '--out <file>',
      'write the qrels to <file> and the topics to <file>.topics.jsonl (default: print the qrels)',
    )
    .option(...dataOption)
    .option('--json', 'print the counts as one JSON document; needs --out')
    .addHelpText('after', examples('asof feedback export --out judgments.qrels'))
    .action(async ({ out, ...flags }: Flags & { out?: string }) => {
      const context = await commandContext(flags)
      if (context.json && out === undefined)
        throw new UsageError('--json needs --out, because the qrels are printed on standard output without it')
      const topicsOut = `${out}.topics.jsonl`
      let topics = 0
      let judgments = 0
      await writeFiles(out === undefined ? [] : [out, topicsOut], ([qrelsFile, topicsFile]) =>
        withData(context, folder =>
          folder.exportFeedback(async part => {
            topics += 1
            judgments += part.judgments
            await qrelsFile?.write(part.qrels)
            await topicsFile?.write(part.topics)
            if (out === undefined) context.print(part.qrels.trimEnd())
          }),
        ),
      )
      if (out === undefined) return
      context.print(
        context.json
          ? JSON.stringify({ topics, judgments, qrels: out, topics_file: topicsOut })
          : wrap(
              `wrote ${pluralize(judgments, 'judgment')} of ${pluralize(topics, 'topic')} to ${out} and ${topicsOut}`,
            ),
      )
    })
}
