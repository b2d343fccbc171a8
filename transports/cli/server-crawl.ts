import { setTimeout as sleep } from 'node:timers/promises'
import type { Corpus } from '../../crawler/index.ts'
import type { CrawlLimits } from '../../service/crawls/index.ts'
import type { Client, CrawlAnswer } from '../client/index.ts'

/** Time between two looks at a crawl of a server, ms. */
const LOOK_MS = 1_000

/** How a crawl of a server is followed. */
interface Following {
  /** Asks the server to stop the crawl. */
  signal: AbortSignal
  /** Called after each look at the crawl while it runs. */
  onProgress: (crawl: CrawlAnswer) => void
  /** Time between two looks, ms. Default 1,000. */
  lookMs?: number
}

/**
 * Starts a crawl on a server, and follows it until it ends. If this process ends, the crawl goes on.
 *
 * @returns the crawl when it ended.
 * @throws ClientError - the server refuses the crawl, or does not answer.
 */
export async function crawlOnServer(
  client: Pick<Client, 'startCrawl' | 'stopCrawl' | 'crawls'>,
  corpus: Corpus,
  { maxPages, maxDepth, delayMs, concurrency, watch = false }: CrawlLimits,
  { signal, onProgress, lookMs = LOOK_MS }: Following,
): Promise<CrawlAnswer> {
  const { name } = await client.startCrawl({
    corpus,
    max_pages: maxPages,
    max_depth: maxDepth,
    delay_ms: delayMs,
    concurrency,
    watch,
  })
  let isStopping = false
  for (;;) {
    if (signal.aborted && !isStopping) {
      isStopping = true
      await client.stopCrawl(name)
    }
    const crawl = (await client.crawls()).find(known => known.name === name)
    if (crawl && crawl.state !== 'running' && crawl.state !== 'stopping') return crawl
    if (crawl) onProgress(crawl)
    await sleep(lookMs, undefined, isStopping ? {} : { signal }).catch(() => undefined)
  }
}
