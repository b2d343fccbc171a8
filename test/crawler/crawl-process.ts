/** A crawl in a process of its own, to be killed: `node crawl-process.ts DATA SEED`. */
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { open } from '../../core/index.ts'
import { crawl } from '../../crawler/crawl.ts'

const [data, seed] = process.argv.slice(2)
if (data === undefined || seed === undefined) throw new TypeError('usage: crawl-process.ts DATA SEED')
// A process that is killed leaves nothing compiled behind, unless it does so now.
flushCompileCache()
const engine = await open(join(data, 'index'))
const report = await crawl(engine, [seed], { dir: join(data, 'crawl'), allowPrivate: true, delayMs: 0 })
await engine.close()
process.stdout.write(JSON.stringify(report))
