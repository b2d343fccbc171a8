import { upgrade } from '@asof/core'
import { type Command, InvalidArgumentError } from 'commander'
import { namingHolder } from '../../../service/data-folder/index.ts'
import { commandContext } from '../command-context.ts'
import type { Flags } from '../flags.ts'
import { pluralize } from '../output/wording.ts'
import { dataOption, examples, jsonOption } from './shared-options.ts'

function readNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export function addUpgradeCommand(program: Command): void {
  program
    .command('upgrade')
    .description('give the index the newest analyzer, in place; run again to continue after an interruption')
    .option(
      '--analyzer <n>',
      'the number of the analyzer (default: that of an interrupted upgrade, otherwise the newest)',
      readNumber,
    )
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', examples('asof upgrade --data ./docs-index'))
    .action(async ({ analyzer, ...flags }: Flags & { analyzer?: number }) => {
      const { dir, progress, json, print } = await commandContext(flags)
      const upgrading = upgrade(dir, {
        analyzer,
        onProgress: (done, captures) => progress.update(() => `${done} of ${captures} captures analyzed`),
      })
      const report = await namingHolder(dir, upgrading)
      const { format, ranking, captures } = report
      const numbers = `format ${format}, analyzer ${report.analyzer}, ranking ${ranking}`
      const done = captures === 0 ? 'nothing to do' : `${pluralize(captures, 'capture')} analyzed again`
      print(json ? JSON.stringify(report) : `${done}: the index has ${numbers}`)
    })
}
