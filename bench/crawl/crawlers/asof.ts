import { join } from 'node:path'
import { open } from '@asof/core'
import { crawl } from '../../../crawler/index.ts'
import type { Crawled, CrawlTask } from '../crawl-child.ts'

/** Crawls with asof: fetches, extracts and indexes. */
export async function crawlAll(task: CrawlTask): Promise<Crawled> {
  const engine = await open(join(task.dir, 'data'))
  try {
    const { stored, bytes } = await crawl(
      engine,
      { name: 'bench', seeds: task.seeds },
      {
        dir: join(task.dir, 'crawl'),
        allowPrivate: true,
        delayMs: task.delayMs,
        adaptiveFactor: 0,
        concurrency: task.concurrency,
        retryDelayMs: 10,
      },
    )
    return { pages: stored, bytes }
  } finally {
    await engine.close()
  }
}
