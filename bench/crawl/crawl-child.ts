/** The measured process: crawls the synthetic web with one crawler and sends the figures to its parent. */
export interface CrawlTask {
  crawler: 'asof' | 'crawlee'
  seeds: string[]
  dir: string
  pages: number
  delayMs: number
  concurrency: number
}

/** Number of crawled pages, and bytes of their bodies. */
export interface Crawled {
  pages: number
  bytes: number
}

export interface CrawlFigures extends Crawled {
  seconds: number
  cpuSeconds: number
  /** Peak resident memory in the first and in the second half of the time, in bytes. */
  memory: [number, number]
}

const task = JSON.parse(process.argv[2]!) as CrawlTask
const samples: number[] = []
const sampler = setInterval(() => samples.push(process.memoryUsage.rss()), 250)

// Imported by a computed name, so that type checking does not need the packages of bench/node_modules.
const { crawlAll } = (await import(`./crawlers/${task.crawler}.ts`)) as { crawlAll(task: CrawlTask): Promise<Crawled> }

const startedMs = performance.now()
const cpu = process.cpuUsage()
const { pages, bytes } = await crawlAll(task)
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
