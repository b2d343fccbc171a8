/** Crawls one corpus over and over until told to stop. Tells its parent of each run's end, and once a second how it fares. */

import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { open } from '@asof/core'
import { type CrawlReport, crawl } from '../../crawler/index.ts'

export interface SoakTask {
  dir: string
  seeds: string[]
}

export type SoakNews = { kind: 'sample'; rss: number; handles: number } | { kind: 'run'; report: CrawlReport }

const { dir, seeds } = JSON.parse(process.argv[2]) as SoakTask
const tell = (news: SoakNews) => process.send?.(news)
const sampler = setInterval(() => {
  // Of open files and sockets where the system tells, else of what keeps the loop going.
  const handles =
    process.platform === 'linux' ? readdirSync('/proc/self/fd').length : process.getActiveResourcesInfo().length
  tell({ kind: 'sample', rss: process.memoryUsage.rss(), handles })
}, 1000)
const stop = new AbortController()
process.on('message', message => {
  if (message === 'stop') stop.abort()
})
// Without its parent it would go on for ever.
const orphaned = () => process.exit(1)
process.once('disconnect', orphaned)

const engine = await open(join(dir, 'data'))
while (!stop.signal.aborted) {
  const report = await crawl(
    engine,
    { name: 'soak', seeds },
    {
      dir: join(dir, 'crawl'),
      ...{ allowPrivate: true, delayMs: 5, adaptiveFactor: 0, retryDelayMs: 50, backOffMs: 50, maxAttempts: 6 },
      ...{ totalTimeoutMs: 10_000, signal: stop.signal },
    },
  )
  tell({ kind: 'run', report })
  // The next run waits until the parent has looked at this one.
  if (!stop.signal.aborted) await once(process, 'message')
}
await engine.close()
clearInterval(sampler)
process.off('disconnect', orphaned)
process.disconnect?.()
