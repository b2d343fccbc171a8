import { expectIndex } from '@asof/core/internal'
import type { Command } from 'commander'
import type { CrawlFailure } from '../../../crawler/index.ts'
import { frontierDir } from '../../../service/data-folder/index.ts'
import { type CommandContext, commandContext } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { crawlFailureText, crawlsText } from '../output/crawl-text.ts'
import { dataOption, examples } from './shared-options.ts'

/** Prints the failures of the last crawl of each name. */
async function printFailures(context: CommandContext, names: ReadonlySet<string>): Promise<void> {
  const { listFailures } = await import('../../../crawler/index.ts')
  const dir = frontierDir(context.dir)
  if (context.json) {
    const listed: { name: string; failures: CrawlFailure[] }[] = []
    for (const name of names) {
      const failures: CrawlFailure[] = []
      for await (const failure of listFailures(dir, name)) failures.push(failure)
      listed.push({ name, failures })
    }
    return context.print(JSON.stringify(listed))
  }
  for (const name of names) {
    let count = 0
    for await (const failure of listFailures(dir, name)) {
      if (count++ === 0) context.print(`${name}:`)
      context.print(crawlFailureText(failure))
    }
    if (count === 0) context.print(`${name}: no failures`)
  }
}

export function addCrawlsCommand(program: Command): void {
  program
    .command('crawls')
    .description('list the crawls of a data folder with their results, or their failures')
    .argument('[name]', 'only the crawls of this name')
    .option('--failures', 'list all URLs that failed in the last crawl of each name, and where they were found')
    .option(...dataOption)
    .option('--json', 'print one JSON document with the full reports')
    .addHelpText('after', examples('asof crawls --data ./docs-index', 'asof crawls node-api --failures'))
    .action(async (name: string | undefined, flags: Flags) => {
      const { listCrawls } = await import('../../../crawler/index.ts')
      const context = await commandContext(flags)
      await expectIndex(context.dir)
      // The reports of crawls are files beside the index. They can be read while another process holds the folder, because they
      // are only appended to.
      const all = await listCrawls(frontierDir(context.dir))
      const crawls = name === undefined ? all : all.filter(crawl => crawl.name === name)
      if (name !== undefined && crawls.length === 0)
        throw new UsageError(`no crawl has the name ${name}; \`asof crawls\` lists the names`)
      if (flags.failures === true) return await printFailures(context, new Set(crawls.map(crawl => crawl.name)))
      context.print(context.json ? JSON.stringify(crawls) : crawlsText(crawls))
    })
}
