import { CheerioCrawler, Configuration, LogLevel, log } from '@crawlee/cheerio'
import type { Crawled, CrawlTask } from '../crawl-child.ts'

/** The same fetching, parsing and following of links; nothing is indexed. It knows of no traps, so it is told. */
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
        // What an indexer would read: title and text.
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
