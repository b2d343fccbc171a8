/**
 * One of several crawlers that share a frontier, to be killed: `node shared-crawler.ts DATA DATABASE USER_AGENT SEED…`. It prints
 * the report at the end.
 */
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { open } from '../../core/index.ts'
import { crawl } from '../../crawler/index.ts'

const [data, database, userAgent, ...seeds] = process.argv.slice(2)
if (data === undefined) throw new TypeError('usage: shared-crawler.ts DATA DATABASE USER_AGENT SEED…')
// Writes the compile cache now, because a killed process does not write it.
flushCompileCache()
const engine = await open(join(data, 'index'))
const report = await crawl(engine, seeds, {
  dir: join(data, 'crawl'),
  database,
  userAgent,
  allowPrivate: true,
  delayMs: 150,
  adaptiveFactor: 0,
  leaseMs: 6000,
})
await engine.close()
process.stdout.write(JSON.stringify(report))
