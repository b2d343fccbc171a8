/**
 * A crawl in a process of its own, to be killed: `node crawl-process.ts DATA SEED`. It prints a line when 100 captures are in
 * the index and their pages are finished on disk, and the report at the end.
 */
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { ExtractPool, open } from '../../../core/index.ts'
import { crawl } from '../../../crawler/crawl/crawl.ts'
import type { CrawlEvent, CrawlOptions } from '../../../crawler/crawl/crawl-options.ts'

const [data, seed] = process.argv.slice(2)
if (data === undefined || seed === undefined) throw new TypeError('usage: crawl-process.ts DATA SEED')
// Writes the compile cache now, because a killed process does not write it.
flushCompileCache()
const engine = await open(join(data, 'index'))
const onProgress = (event: CrawlEvent) => {
  if (event.kind !== 'started') return
  // The crawl updates this report. It may wait for an answer of the site meanwhile, so progress events do not suffice.
  const watch = setInterval(() => {
    if (event.report.stored < 100) return
    clearInterval(watch)
    process.stdout.write('finished\n')
  }, 20)
  watch.unref()
}
// One process starts faster than the default two.
const pool = new ExtractPool({ maxProcesses: 1 })
const extract: CrawlOptions['extract'] = (body, options) => pool.run(body, options)
const report = await crawl(engine, [seed], {
  dir: join(data, 'crawl'),
  allowPrivate: true,
  delayMs: 0,
  onProgress,
  extract,
})
await pool.close()
await engine.close()
process.stdout.write(JSON.stringify(report))
