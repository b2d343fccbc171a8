/**
 * `node bench/crawl/crawl-soak.ts [--minutes 30] [--pages 3000] [--hosts 20] [--kills 3] [--seed 1]`: crawls a web with random
 * faults again and again, and kills the crawler with `kill -9`. Exits with 1 if pages were lost or fetched too often, or if
 * memory or open handles grew. Takes too long for CI.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { open } from '@asof/core'
import type { CrawlReport } from '../../crawler/index.ts'
import { leanAllocator, leanFlags } from '../../transports/cli/lean-memory.ts'
import { compiled } from '../apparatus/compiled.ts'
import { percentile, sorted } from '../apparatus/percentiles.ts'
import type { SoakMessage, SoakTask } from './crawl-soak-child.ts'
import { FaultyOrigin } from './faulty-origin.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    pages: { type: 'string', default: '3000' },
    hosts: { type: 'string', default: '20' },
    kills: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
  },
})
const minutes = Number(values.minutes)
const pages = Number(values.pages)
const hosts = Number(values.hosts)
const kills = Number(values.kills)
const seed = Number(values.seed)
/**
 * Number of pages that may be fetched again after a kill: the pages in flight, and the pages in a batch that was not committed.
 */
const inFlight = 250
const problems: string[] = []
const check = (holds: boolean, problem: string) => {
  if (!holds) problems.push(problem)
}

const dir = mkdtempSync(join(tmpdir(), 'asof-crawl-soak-'))
const origin = new FaultyOrigin(pages, seed)
await origin.listen(hosts)
const task: SoakTask = { dir, seeds: origin.seeds }
let samples: { rss: number; handles: number }[] = []
let runs = 0
let killedInRun = 0
let again = 0

/** Checks a finished run. */
function judge(report: CrawlReport): void {
  runs++
  const { done, pending, failed } = report.known
  check(
    pending === 0 && done + failed === pages,
    `run ${runs}: ${done} done, ${failed} failed, ${pending} pending of ${pages}`,
  )
  check(failed === 0, `run ${runs}: ${failed} pages failed`)
  const missed = pages - origin.answers.size
  check(missed === 0, `run ${runs}: ${missed} pages were never requested`)
  const twice = [...origin.answers.values()].reduce((sum, answers) => sum + answers - 1, 0)
  check(twice <= killedInRun * inFlight, `run ${runs}: ${twice} pages fetched again after ${killedInRun} kills`)
  again += twice
  killedInRun = 0
  origin.forget()
}

function start(): ChildProcess {
  samples = []
  const child = fork(compiled('crawl/crawl-soak-child.ts'), [JSON.stringify(task)], {
    execArgv: [...leanFlags],
    env: { ...process.env, ...leanAllocator },
  })
  child.on('message', received => {
    const message = received as SoakMessage
    if (message.kind === 'sample') samples.push(message)
    else {
      if (message.report.finished) judge(message.report)
      child.send('again')
    }
  })
  return child
}

const totalMs = minutes * 60_000
const startedMs = performance.now()
let child = start()
// The kills come in the first third, so that the last process runs long enough to measure its memory.
for (let kill = 0; kill < kills; kill++) {
  await sleep((totalMs / 3 / kills) * (0.5 + Math.random()))
  child.kill('SIGKILL')
  await once(child, 'exit')
  killedInRun++
  child = start()
}
await sleep(Math.max(0, totalMs - (performance.now() - startedMs)))
const exited = child.exitCode === null ? once(child, 'exit') : [child.exitCode]
if (child.connected) child.send('stop')
const [code] = await exited
check(code === 0, `the crawler ended with ${code}`)

const engine = await open(join(dir, 'data'))
let stale = 0
for (let page = 0; page < pages; page++) {
  const stored = await engine.page(origin.urlOf(page))
  check(stored !== undefined, `page ${page} is not in the index`)
  if (stored && !stored.markdown.includes(`${origin.textOf(page)}.`)) stale++
}
const { captures } = await engine.stats()
await engine.close()
origin.close()
rmSync(dir, { recursive: true, force: true })

const quarter = (field: 'rss' | 'handles', index: number) =>
  percentile(
    sorted(samples.slice((samples.length * index) / 4, (samples.length * (index + 1)) / 4).map(each => each[field])),
    0.5,
  )
const [rssEarly, rssLate] = [quarter('rss', 1), quarter('rss', 3)]
const [handlesEarly, handlesLate] = [quarter('handles', 1), quarter('handles', 3)]
check(rssLate <= rssEarly * 1.1, 'memory grew by more than a tenth')
check(handlesLate <= handlesEarly * 1.1 + 10, 'open handles grew')
check(runs > 0, 'no run finished')

console.log(
  [
    `${minutes} minutes, ${pages} pages on ${hosts} hosts, ${kills} kills: ${runs} runs, ${captures} captures`,
    `faults: ${Object.entries(origin.faults)
      .map(([name, times]) => `${times} ${name}`)
      .join(', ')}`,
    `fetched again after kills: ${again}; changed since their last fetch: ${stale}`,
    `memory, second quarter to last, of the last process: ${(rssEarly / 1e6).toFixed(0)} → ${(rssLate / 1e6).toFixed(0)} MB; handles ${handlesEarly} → ${handlesLate}`,
    problems.slice(0, 20).join('\n') || 'nothing lost, nothing grew',
  ].join('\n'),
)
if (problems.length > 0) process.exitCode = 1
