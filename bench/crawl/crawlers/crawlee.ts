import { CheerioCrawler, Configuration, LogLevel, log } from '@crawlee/cheerio'
import type { Crawled, CrawlTask } from '../crawl-child.ts'

/**
 * Crawls with Crawlee: fetches, parses and follows links, but does not index. Crawlee cannot detect traps, so a pattern
 * excludes them.
 */
export async function crawlAll(task: CrawlTask): Promise<Crawled> {
  log.setLevel(LogLevel.ERROR)
  let pages = 0
  let bytes = 0
  const crawler = new CheerioCrawler(
    {
      minConcurrency: task.concurrency,
      maxConcurrency: task.concurrency,
      requestHandler: async ({ $, body, enqueueLinks }) => {
        pages++
        bytes += body.length
        // The title and the text are read as for an index.
        $('title').text()
        $('main').text()
        await enqueueLinks({ strategy: 'all', regexps: [/\/page\/\d+$/] })
      },
    },
    new Configuration({
      persistStorage: false,
      purgeOnStart: true,
      storageClientOptions: { localDataDirectory: task.dir },
    }),
  )
  await crawler.run(task.seeds)
  return { pages, bytes }
}
