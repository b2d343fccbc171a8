import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { leanAllocator, leanFlags } from '../../transports/cli/lean-memory.ts'
import { compiled } from '../apparatus/compiled.ts'
import { type Machine, machine } from '../apparatus/machine.ts'
import { count, megabytes, table } from '../apparatus/text-table.ts'
import type { CrawlFigures, CrawlTask } from './crawl-child.ts'
import { type CrawlBenchOptions, crawlHelp, readCrawlOptions } from './crawl-options.ts'
import type { OriginFigures } from './crawl-origin.ts'
import { SyntheticWeb } from './crawl-web.ts'
import { ThreadTimes } from './thread-times.ts'

interface Run extends CrawlFigures {
  crawler: CrawlTask['crawler']
  origin: OriginFigures
  /** CPU time of the whole process by kind of thread, start-up included; Linux only. */
  threadMs?: Record<string, number>
}

interface CrawlBenchReport {
  command: string
  machine: Machine
  options: CrawlBenchOptions
  reachable: number
  runs: Run[]
}

/** The suite `crawl`: crawls the same synthetic web on loopback with asof and Crawlee. */
export async function crawl(args: string[]): Promise<void> {
  const options = readCrawlOptions(args)
  if (!options) {
    console.log(crawlHelp)
    return
  }
  const { hosts, pages, pageBytes, textPercent, seed } = options
  const web = { hosts, pages, pageBytes, textPercent, seed }
  const origin = fork(new URL('./crawl-origin.ts', import.meta.url), [JSON.stringify(web)])
  const runs: Run[] = []
  try {
    const [{ origins }] = (await once(origin, 'message')) as [{ origins: string[] }]
    const seeds = origins.map((each, host) => `${each}/page/${host}`)
    for (const crawler of options.crawlers) {
      console.error(`${crawler}: ${count(pages)} pages of ${count(pageBytes)} bytes on ${hosts} hosts`)
      runs.push({ crawler, ...(await runOne(crawler, seeds, options)), origin: await seenBy(origin) })
    }
  } finally {
    origin.disconnect()
  }
  const report: CrawlBenchReport = {
    command: `npm run bench -- crawl ${args.join(' ')}`.trim(),
    machine: machine(),
    options,
    reachable: new SyntheticWeb(web).reachable,
    runs,
  }
  print(report)
  if (options.jsonPath !== undefined) writeFileSync(options.jsonPath, JSON.stringify(report))
}

async function runOne(
  crawler: CrawlTask['crawler'],
  seeds: string[],
  options: CrawlBenchOptions,
): Promise<Omit<Run, 'crawler' | 'origin'>> {
  const dir = mkdtempSync(join(options.dir ?? tmpdir(), 'asof-bench-crawl-'))
  const { pages, delayMs, concurrency } = options
  const task: CrawlTask = { crawler, seeds, dir, pages, delayMs, concurrency }
  const profile = options.profile && crawler === 'asof' ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : []
  try {
    const child = fork(compiled('crawl/crawl-child.ts'), [JSON.stringify(task)], {
      execArgv: (crawler === 'asof' ? [...leanFlags] : ['--max-old-space-size=8192']).concat(profile),
      env: crawler === 'asof' ? { ...process.env, ...leanAllocator } : process.env,
    })
    const exit = once(child, 'exit')
    const times = new ThreadTimes(child.pid!)
    let threadMs: Record<string, number> | undefined
    const [figures] = (await Promise.race([
      once(child, 'message'),
      exit.then(([code]) => Promise.reject(new Error(`${crawler} ended with ${code}`))),
    ]).finally(() => {
      threadMs = times.end()
    })) as [CrawlFigures]
    await exit
    return { ...figures, threadMs }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function seenBy(origin: ChildProcess): Promise<OriginFigures> {
  const answer = once(origin, 'message')
  origin.send('report')
  return ((await answer) as [OriginFigures])[0]
}

function print({
  command,
  machine: { system, processor, cores, node, commit },
  options,
  reachable,
  runs,
}: CrawlBenchReport): void {
  console.log(`${command}\n${system}, ${processor}, ${cores} cores, ${node}, asof ${commit}`)
  console.log(
    `${count(options.pages)} pages of ${count(options.pageBytes)} bytes, ${options.textPercent} % of it text, on ${options.hosts} hosts; ${count(reachable)} pages can be fetched; ` +
      `${options.concurrency} concurrent requests; asof waits ${options.delayMs} ms between requests to a host and indexes, Crawlee does neither\n`,
  )
  const rows = runs.map(({ crawler, pages, bytes, seconds, cpuSeconds, memory, origin }) => [
    crawler,
    count(pages),
    (pages / seconds).toFixed(1),
    (bytes / 1e6 / seconds).toFixed(1),
    (pages / cpuSeconds).toFixed(1),
    `${((100 * origin.served) / reachable).toFixed(2)} %`,
    count(origin.trapped),
    String(origin.mostAtOnce),
    origin.pausesMs.map(ms => ms.toFixed(0)).join(' '),
    memory.map(megabytes).join(' → '),
  ])
  const heads = [
    'crawler',
    'pages',
    'pages/s',
    'MB/s',
    'pages per CPU s',
    'coverage',
    'in traps',
    'at once',
    'pauses ms 0 1 10 50 %',
    'MB',
  ]
  console.log(table(heads, rows))
  for (const { crawler, pages, cpuSeconds, threadMs = {} } of runs) {
    const parts = Object.entries(threadMs).map(([part, ms]) => `${part} ${(ms / pages).toFixed(2)}`)
    console.log(`\n${crawler}: ${((1000 * cpuSeconds) / pages).toFixed(2)} CPU ms per page; ${parts.join(', ')}`)
  }
}
