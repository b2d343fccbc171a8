import { expectIndex } from '@asof/core'
import type { Command } from 'commander'
import { frontierDir } from '../../service/data-folder/data-folder.ts'
import { commandContext } from '../command-context.ts'
import { crawlsText } from '../output/crawl-text.ts'
import type { Flags } from '../settings/settings.ts'
import { dataOption, examples } from './shared-options.ts'

export function addCrawlsCommand(program: Command): void {
  program
    .command('crawls')
    .description('list the crawls of a data folder with their results')
    .option(...dataOption)
    .option('--json', 'print one JSON document with the full reports')
    .addHelpText('after', examples('asof crawls --data ./docs-index'))
    .action(async (flags: Flags) => {
      const { listCrawls } = await import('../../../crawler/index.ts')
      const context = await commandContext(flags)
      await expectIndex(context.dir)
      // These files lie beside the index and are only appended to, so they can be read while another process holds the folder.
      const crawls = await listCrawls(frontierDir(context.dir))
      context.print(context.json ? JSON.stringify(crawls) : crawlsText(crawls))
    })
}
