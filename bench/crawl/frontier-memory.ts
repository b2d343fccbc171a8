/**
 * `node --expose-gc bench/crawl/frontier-memory.ts [--urls N]`: measures the memory of the frontier while it grows to ten million
 * URLs. Prints a line per tenth. Exits with 1 if memory grew by more than 10 % in the second half.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LevelFrontier } from '../../crawler/frontier/level-frontier.ts'

const { values } = parseArgs({ options: { urls: { type: 'string', default: '10000000' }, dir: { type: 'string' } } })
const urls = Number(values.urls)
const hosts = 1000
const batch = 2000
const steps = 10

/** Returns the resident memory without mapped files. LevelDB maps its tables, and the system may evict them. */
function ownBytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : ''
  const anonymous = /^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1]
  return anonymous === undefined ? process.memoryUsage.rss() : Number(anonymous) * 1024
}

const dir = values.dir ?? mkdtempSync(join(tmpdir(), 'asof-frontier-'))
const frontier = await LevelFrontier.open(join(dir, 'frontier'))
await frontier.beginRun(0)
const startedMs = performance.now()
const memory: number[] = []
for (let from = 0; from < urls; from += batch) {
  const items = Array.from({ length: batch }, (_, i) => {
    const n = from + i
    return { url: `https://host-${n % hosts}.example/section/${n % 97}/page-${n}.html`, depth: (n % 7) + 1 }
  })
  await frontier.enqueue(items)
  // A tenth of the URLs is visited while the others are added, as in a crawl.
  const host = `host-${(from / batch) % hosts}.example`
  const taken: string[] = []
  for (let i = 0; i < batch / 10; i++) {
    const next = await frontier.next(host, 0)
    if (next && 'url' in next) taken.push(next.url)
  }
  await frontier.finish(
    taken.map(url => ({ url, patch: {} })),
    0,
  )
  await frontier.leaveHost(host)
  if (Math.floor(((from + batch) * steps) / urls) > memory.length) {
    globalThis.gc?.()
    const { heapUsed } = process.memoryUsage()
    const own = ownBytes()
    memory.push(own)
    const known = Object.values(frontier.counts).reduce((sum, count) => sum + count, 0)
    const seconds = (performance.now() - startedMs) / 1000
    console.log(
      `${known} known, ${frontier.pending} pending: ${(own / 1e6).toFixed(0)} MB without mapped files, heap ${(heapUsed / 1e6).toFixed(0)} MB, ` +
        `${Math.round((from + batch) / seconds)} URLs/s`,
    )
  }
}
const { pending, done } = frontier.counts
if (pending + done !== urls) throw new Error(`counted ${pending} + ${done}, expected ${urls}`)
await frontier.close()
if (values.dir === undefined) rmSync(dir, { recursive: true })
const growth = memory.at(-1)! / memory[steps / 2 - 1]!
console.log(`growth in the second half: ${((growth - 1) * 100).toFixed(1)} %`)
if (growth > 1.1) process.exitCode = 1
