import { expectIndex } from '@asof/core'
import type { Command } from 'commander'
import { frontierDir } from '../../service/data-folder/data-folder.ts'
import { commandContext } from '../command-context.ts'
import { crawlsText } from '../output/crawl-text.ts'
import type { Flags } from '../settings/settings.ts'

export function addCrawlsCommand(program: Command): void {
  program
    .command('crawls')
    .description('list the crawls that were run, and what came of them')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .option('--json', 'print one JSON document, with the whole reports')
    .action(async (flags: Flags) => {
      const { listCrawls } = await import('../../../crawler/index.ts')
      const context = await commandContext(flags)
      await expectIndex(context.dir)
      // Beside the index, in files that are only ever added to: whoever holds the folder need not be asked.
      const crawls = await listCrawls(frontierDir(context.dir))
      context.print(context.json ? JSON.stringify(crawls) : crawlsText(crawls))
    })
}
