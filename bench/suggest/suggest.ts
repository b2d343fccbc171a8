import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Engine, open } from '@asof/core'
import { type Corpus, prepareCorpus } from '../apparatus/corpus.ts'
import { machine } from '../apparatus/machine.ts'
import { type BenchPage, readPages } from '../apparatus/page-file.ts'
import { percentile, sorted } from '../apparatus/percentiles.ts'
import { defaultCorpus } from '../apparatus/synthetic.ts'
import { count, megabytes, milliseconds, table } from '../apparatus/text-table.ts'
import { typedBeginnings } from './keystrokes.ts'

const help = `npm run bench -- suggest [options]

Types page titles letter by letter and requests suggestions after each letter: first with the index at rest, then while
pages are added. Times are wall-clock times of one request at a time.

  --pages N       number of generated pages (30000)
  --real FILE     real pages instead: JSON lines with url, title, text or markdown; plain or .gz
  --titles N      number of titles to type in each lane (300)
  --target MS     exit with code 1 if p95 of a lane exceeds this (5)
  --seed N        seed of the pages and the titles (${defaultCorpus.seed})
  --json FILE     write all figures`

/** Interval between keys of a fast typist. */
const KEYSTROKE_MS = 20
const ADDED_AT_ONCE = 20
const BATCH = 2_000
/** Length of the indexed texts. Suggestions come from titles, so the beginning is enough. */
const TEXT_UNITS = 300

interface Lane {
  name: string
  firstMs: number
  ms: number[]
  /** Number of requests without suggestions. */
  empty: number
}

/** The suite `suggest`: measures how long suggestions take while a user types. */
export async function suggest(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '30000' },
      real: { type: 'string' },
      titles: { type: 'string', default: '300' },
      target: { type: 'string', default: '5' },
      seed: { type: 'string', default: String(defaultCorpus.seed) },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(help)
    return
  }
  const seed = Number(values.seed)
  const root = mkdtempSync(join(tmpdir(), 'asof-bench-suggest-'))
  try {
    console.error('… preparing the pages and their index')
    const choice = { pages: Number(values.pages), seed, realPath: values.real }
    const corpus = await prepareCorpus(root, choice)
    const lanes = await measure(join(root, 'data'), corpus, Number(values.titles))
    console.log(reportOf(corpus, lanes))
    if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ machine: machine(), choice, lanes }))
    if (lanes.some(({ ms }) => percentile(sorted(ms), 0.95) > Number(values.target))) process.exitCode = 1
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function measure(folder: string, { choice, pagesPath, body }: Corpus, titles: number): Promise<Lane[]> {
  const engine = await open(folder)
  try {
    const pages: Pick<BenchPage, 'url' | 'title'>[] = []
    for await (const batch of readPages(pagesPath, BATCH)) {
      await engine.add(batch.map(({ url, title, text }) => ({ url, title, [body]: text.slice(0, TEXT_UNITS) })))
      pages.push(...batch.map(({ url, title }) => ({ url, title })))
    }
    const known = pages.map(({ title }) => title)
    const still = await typed('at rest', engine, typedBeginnings(known, titles, choice.seed))
    const writer = new AbortController()
    const adding = addUntil(engine, pages, writer.signal)
    const busy = await typed('while pages are added', engine, typedBeginnings(known, titles, choice.seed + 1))
    writer.abort()
    await adding
    return [still, busy]
  } finally {
    await engine.close()
  }
}

async function typed(name: string, engine: Engine, beginnings: readonly string[]): Promise<Lane> {
  console.error(`… typing ${name}`)
  const lane: Lane = { name, firstMs: 0, ms: [], empty: 0 }
  for (const [at, text] of ['a', ...beginnings].entries()) {
    const beganMs = performance.now()
    const suggestions = await engine.suggest(text)
    const tookMs = performance.now() - beganMs
    // The first request waits until the titles are loaded, so it is reported separately.
    if (at === 0) lane.firstMs = tookMs
    else lane.ms.push(tookMs)
    if (at > 0 && suggestions.length === 0) lane.empty++
    await sleep(KEYSTROKE_MS)
  }
  return lane
}

/** Adds new captures of the pages until aborted, as a continuous crawl does. */
async function addUntil(engine: Engine, pages: readonly Pick<BenchPage, 'url' | 'title'>[], signal: AbortSignal) {
  for (let next = 0; !signal.aborted; next += ADDED_AT_ONCE) {
    const again = Array.from({ length: ADDED_AT_ONCE }, (_, i) => pages[(next + i) % pages.length]!)
    await engine.add(again.map(({ url, title }, i) => ({ url, title, text: `${title}, seen again ${next + i}` })))
    await sleep(KEYSTROKE_MS * 10)
  }
}

function reportOf({ about, choice }: Corpus, lanes: readonly Lane[]): string {
  const { processor, cores, node, commit } = machine()
  const rows = lanes.map(({ name, firstMs, ms, empty }) => {
    const times = sorted(ms)
    const shares = [0.5, 0.95, 0.99, 1].map(share => milliseconds(percentile(times, share)))
    return [name, count(ms.length), ...shares, milliseconds(firstMs), `${Math.round((100 * empty) / ms.length)} %`]
  })
  return [
    `${count(choice.pages)} ${about}`,
    `${processor}, ${cores} cores, Node ${node}, asof ${commit}; ${megabytes(process.memoryUsage.rss())} MB resident`,
    '',
    table(['lane, ms by the clock', 'questions', 'p50', 'p95', 'p99', 'most', 'first', 'unanswered'], rows),
  ].join('\n')
}
