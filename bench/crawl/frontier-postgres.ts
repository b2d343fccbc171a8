/**
 * `node bench/crawl/frontier-postgres.ts [--urls N] [--crawlers N] [--hosts N] [--database URL]`: measures a frontier that several
 * crawlers share. They add URLs of many hosts, 1,000 at a time; then they visit all of them as a crawl does, without requests:
 * claim a host, take up to 20 URLs, add 20 known links each, take and end a turn, record the outcome. Exits with 1 if a URL was
 * visited twice or not at all. Without a database it starts a PostgreSQL, which does not wait for the disk.
 */
import { parseArgs } from 'node:util'
import { openCrawlDatabase } from '../../crawler/database/crawl-database.ts'
import { PostgresFrontier } from '../../crawler/frontier/postgres-frontier.ts'
import { PostgresTurns } from '../../crawler/politeness/postgres-turns.ts'
import { startPostgres } from '../../test/servers/postgres.ts'

const { values } = parseArgs({
  options: {
    urls: { type: 'string', default: '100000' },
    crawlers: { type: 'string', default: '3' },
    hosts: { type: 'string', default: '1000' },
    database: { type: 'string' },
  },
})
const [urls, crawlers, hosts] = [Number(values.urls), Number(values.crawlers), Number(values.hosts)]
const batch = 1000
const pagesPerStay = 20
/** Number of hosts that each crawler works on at once. */
const workersPerCrawler = 4

const urlOf = (n: number) => `https://host-${n % hosts}.example/section/${n % 97}/page-${n}.html`

const server = values.database === undefined ? await startPostgres() : undefined
const url = values.database ?? server?.url ?? ''
const name = `bench-${Date.now()}`
const opened = await Promise.all(
  Array.from({ length: crawlers }, async () => {
    const database = await openCrawlDatabase(url)
    const frontier = await PostgresFrontier.open(database, name)
    await frontier.beginRun(1)
    return { database, frontier, turns: new PostgresTurns(database, frontier.lease) }
  }),
)

/** Runs work of all crawlers at once. Prints how many URLs a second it did. */
async function measure(what: string, work: (crawler: (typeof opened)[number], index: number) => Promise<void>) {
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  await Promise.all(opened.map(work))
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const cpuMs = (user + system) / 1000 / urls
  console.log(`${what}: ${Math.round(urls / seconds)} URLs/s, ${cpuMs.toFixed(3)} CPU ms each in the crawlers`)
}

await measure('made known', async ({ frontier }, index) => {
  for (let from = index * batch; from < urls; from += crawlers * batch) {
    await frontier.enqueue(Array.from({ length: batch }, (_, i) => ({ url: urlOf(from + i), depth: 1 })))
  }
})

const visited = new Set<string>()
let visits = 0
await measure('visited', async ({ frontier, turns }) => {
  const due: string[] = []
  const scan = async () => {
    for (let next = await frontier.nextHost(''); next; next = await frontier.nextHost(next.host)) due.push(next.host)
  }
  const work = async () => {
    for (let host = due.shift(); host !== undefined; host = due.shift()) {
      if (!(await frontier.claimHost(host))) continue
      for (let i = 0; i < pagesPerStay; i++) {
        const next = await frontier.next(host, 1)
        if (!next || !('url' in next)) break
        visits++
        visited.add(next.url)
        if ((await turns.take(host, 0)) > 0) throw new Error(`${host} is asked by two`)
        await turns.end(host, 0)
        const n = visits
        await frontier.enqueue(Array.from({ length: 20 }, (_, k) => ({ url: urlOf((n * 31 + k) % urls), depth: 2 })))
        await frontier.finish([{ url: next.url, patch: { lastFetchedAt: 1, etag: '"abc"' } }], 1)
      }
      await frontier.leaveHost(host)
    }
  }
  while ((await frontier.lookAgainMs()) !== Number.POSITIVE_INFINITY) {
    await scan()
    await Promise.all(Array.from({ length: workersPerCrawler }, work))
  }
})
if (visits !== urls || visited.size !== urls) {
  console.error(`${visits} visits of ${visited.size} URLs, of ${urls}`)
  process.exitCode = 1
}
for (const { database, frontier, turns } of opened) {
  await turns.settled()
  await frontier.close()
  await database.close()
}
await server?.stop()
