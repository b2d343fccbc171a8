/** A crawler before the synthetic web, in a process of its own. Tells its parent what it did. */
import { join } from 'node:path'
import { open } from '../core/index.ts'
import { crawl } from '../crawler/index.ts'

export interface CrawlTask {
  crawler: 'asof' | 'crawlee'
  seeds: string[]
  dir: string
  pages: number
  delayMs: number
  concurrency: number
}

export interface CrawlFigures {
  pages: number
  bytes: number
  seconds: number
  cpuSeconds: number
  /** Largest resident memory in the first and in the second half of the time, bytes. */
  memory: [number, number]
}

const task = JSON.parse(process.argv[2]) as CrawlTask
const samples: number[] = []
const sampler = setInterval(() => samples.push(process.memoryUsage.rss()), 250)

async function withAsof(): Promise<{ pages: number; bytes: number }> {
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

/** The same fetching, parsing and following of links; nothing is indexed. It knows of no traps, so it is told. */
async function withCrawlee(): Promise<{ pages: number; bytes: number }> {
  const { CheerioCrawler, Configuration, log, LogLevel } = await import('@crawlee/cheerio')
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

const startedMs = performance.now()
const cpu = process.cpuUsage()
const { pages, bytes } = await (task.crawler === 'asof' ? withAsof() : withCrawlee())
const seconds = (performance.now() - startedMs) / 1000
const { user, system } = process.cpuUsage(cpu)
clearInterval(sampler)
const half = Math.ceil(samples.length / 2)
const figures: CrawlFigures = {
  pages,
  bytes,
  seconds,
  cpuSeconds: (user + system) / 1e6,
  memory: [Math.max(0, ...samples.slice(0, half)), Math.max(0, ...samples.slice(half))],
}
process.send!(figures)
process.disconnect?.()
