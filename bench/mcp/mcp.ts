import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareCorpus } from '../apparatus/corpus.ts'
import { machine } from '../apparatus/machine.ts'
import { percentile, sorted } from '../apparatus/percentiles.ts'
import { defaultCorpus } from '../apparatus/synthetic.ts'
import { textOf } from '../engines/asof-question.ts'
import { buildIndex } from '../engines/build-index.ts'
import { nodeContender } from '../engines/node-process.ts'
import { ServerProcess } from '../http/http-server-process.ts'
import { MemorySamples } from '../http/memory-samples.ts'
import { drawQuestions } from '../questions/draw-questions.ts'
import { agentLoop, type CallFigures } from './mcp-agent.ts'

const help = `npm run bench -- mcp [options]

Runs agents that open MCP sessions at /mcp, search, and close them, over and over, and samples the memory of the server. The
agents use the official client, half of them with version negotiation, half with the legacy handshake.

  --pages N       number of generated pages (10000)
  --sessions N    number of concurrent sessions (200)
  --minutes N     duration (10)
  --pause MS      mean pause before each call; it varies from 0.5 to 1.5 times the mean (1000)
  --seed N        seed of the pages and the queries (${defaultCorpus.seed})
  --json FILE     write all figures`

const BATCH = 5_000
const QUERIES = 500
const NO_LIMIT = 1_000_000

/** The suite `mcp`: runs many agents for a long time. */
export async function mcp(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '10000' },
      sessions: { type: 'string', default: '200' },
      minutes: { type: 'string', default: '10' },
      pause: { type: 'string', default: '1000' },
      seed: { type: 'string', default: String(defaultCorpus.seed) },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(help)
    return
  }
  const root = mkdtempSync(join(tmpdir(), 'asof-bench-mcp-'))
  try {
    const report = await measure(root, {
      pages: Number(values.pages),
      sessions: Number(values.sessions),
      minutes: Number(values.minutes),
      pauseMs: Number(values.pause),
      seed: Number(values.seed),
    })
    console.log(JSON.stringify(report, undefined, 2))
    if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(report))
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

interface Plan {
  pages: number
  sessions: number
  minutes: number
  pauseMs: number
  seed: number
}

async function measure(root: string, { pages, sessions, minutes, pauseMs, seed }: Plan): Promise<object> {
  const place = join(root, 'pages')
  mkdirSync(place)
  console.error('… preparing the pages and their index')
  const corpus = await prepareCorpus(place, { pages, seed })
  const questions = drawQuestions(corpus.survey, { count: QUERIES, seed, source: 'bands' }).answers
  const { folder } = await buildIndex(await nodeContender('asof'), corpus, place, { batch: BATCH, reuse: true })
  const server = new ServerProcess(folder, join(root, 'access'))
  try {
    const url = `${await server.url()}/mcp`
    const { org, key } = await server.customer(NO_LIMIT)
    let next = 0
    const query = () => textOf(questions[next++ % questions.length]!)
    const figures: CallFigures = { sessions: 0, calls: 0, billed: 0, failures: [], ms: [] }
    const memory = new MemorySamples(server)
    console.error(`… ${sessions} sessions at a time for ${minutes} min`)
    const startedMs = performance.now()
    const untilMs = startedMs + minutes * 60_000
    const agents = Array.from({ length: sessions }, (_, i) =>
      agentLoop({ url, key, mode: i % 2 === 0 ? 'auto' : 'legacy', pauseMs }, query, untilMs, figures),
    )
    await Promise.all(agents)
    memory.stop()
    const seconds = (performance.now() - startedMs) / 1000
    const ms = sorted(figures.ms)
    return {
      machine: machine(),
      pages,
      sessionsAtATime: sessions,
      minutes,
      pauseMs,
      sessions: figures.sessions,
      calls: figures.calls,
      callsPerSecond: figures.calls / seconds,
      medianMs: percentile(ms, 0.5),
      p99Ms: percentile(ms, 0.99),
      failures: figures.failures,
      ledger: { billed: figures.billed, charged: await server.charged(org) },
      memoryBytesByQuarter: [0, 1, 2, 3].map(index => memory.quarter(index)),
    }
  } finally {
    await server.stop()
  }
}
