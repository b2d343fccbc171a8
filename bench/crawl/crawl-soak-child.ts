/** Crawls one corpus again and again until its parent stops it. Sends the report of each run, and once per second its memory and handles. */

import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { open } from '@asof/core'
import { type CrawlReport, crawl } from '../../crawler/index.ts'

export interface SoakTask {
  dir: string
  seeds: string[]
}

/** A message to the parent. */
export type SoakMessage = { kind: 'sample'; rss: number; handles: number } | { kind: 'run'; report: CrawlReport }

const { dir, seeds } = JSON.parse(process.argv[2]!) as SoakTask
const send = (message: SoakMessage) => process.send?.(message)
const sampler = setInterval(() => {
  // Open files and sockets on Linux, elsewhere the resources that keep the event loop alive.
  const handles =
    process.platform === 'linux' ? readdirSync('/proc/self/fd').length : process.getActiveResourcesInfo().length
  send({ kind: 'sample', rss: process.memoryUsage.rss(), handles })
}, 1000)
const stop = new AbortController()
process.on('message', message => {
  if (message === 'stop') stop.abort()
})
// Without its parent, this process would never end.
const orphaned = () => process.exit(1)
process.once('disconnect', orphaned)

const engine = await open(join(dir, 'data'))
while (!stop.signal.aborted) {
  const report = await crawl(
    engine,
    { name: 'soak', seeds },
    {
      dir: join(dir, 'crawl'),
      allowPrivate: true,
      delayMs: 5,
      adaptiveFactor: 0,
      retryDelayMs: 50,
      backOffMs: 50,
      maxAttempts: 6,
      totalTimeoutMs: 10_000,
      signal: stop.signal,
    },
  )
  send({ kind: 'run', report })
  // The parent checks this run before the next one starts.
  if (!stop.signal.aborted) await once(process, 'message')
}
await engine.close()
clearInterval(sampler)
process.off('disconnect', orphaned)
process.disconnect?.()
