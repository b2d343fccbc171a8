import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareCorpus } from '../apparatus/corpus.ts'
import { machine } from '../apparatus/machine.ts'
import { buildIndex } from '../engines/build-index.ts'
import { nodeContender } from '../engines/node-process.ts'
import { drawQuestions } from '../questions/draw-questions.ts'
import { type HttpOptions, httpHelp, readHttpOptions } from './http-options.ts'
import { type Credentials, overheadOf } from './http-overhead.ts'
import { queryString } from './http-question.ts'
import { type HttpReport, printHttpReport } from './http-report-text.ts'
import { ServerProcess } from './http-server-process.ts'
import { soak } from './http-soak.ts'
import { load, type Sender } from './load.ts'

const BATCH = 5_000
const NO_LIMIT = 1_000_000
/** Number of searches that warm up the caches and start the threads before anything is measured. */
const WARM_UP_REQUESTS = 2_000

/** The suite `http`: measures the HTTP server over an index. */
export async function http(args: string[]): Promise<void> {
  const options = readHttpOptions(args)
  if (!options) {
    console.log(httpHelp)
    return
  }
  const root = options.dir ?? mkdtempSync(join(tmpdir(), 'asof-bench-'))
  const place = join(root, `generated-${options.pages}`)
  const accounts = mkdtempSync(join(tmpdir(), 'asof-bench-accounts-'))
  try {
    const report = await measure(options, place, accounts, `npm run bench -- http ${args.join(' ')}`.trim())
    printHttpReport(report)
    if (options.jsonPath !== undefined) writeFileSync(options.jsonPath, JSON.stringify(report))
  } finally {
    rmSync(accounts, { recursive: true, force: true })
    if (!options.keep) rmSync(options.dir === undefined ? root : place, { recursive: true, force: true })
  }
}

async function measure(options: HttpOptions, place: string, accounts: string, command: string): Promise<HttpReport> {
  const { pages, seed, queries: count, connections, soakMinutes, rounds, seconds } = options
  mkdirSync(place, { recursive: true })
  say(`preparing the pages in ${place}`)
  const corpus = await prepareCorpus(place, { pages, seed })
  const questions = drawQuestions(corpus.survey, { count, seed, source: 'bands' }).answers
  say('indexing')
  const { folder } = await buildIndex(await nodeContender('asof'), corpus, place, { batch: BATCH, reuse: true })
  const server = new ServerProcess(folder, join(accounts, 'access'))
  try {
    const url = await server.url()
    const { org, key } = await server.customer(NO_LIMIT)
    const keyless = { name: 'keyless', path: '/v1/search/public', headers: { 'x-service-title': 'bench' } }
    const keyed = { name: 'keyed', path: '/v1/search', headers: { 'x-api-key': key } }
    const plan = { url, senders: [keyless, keyed] satisfies Sender[], queries: questions.map(queryString), connections }
    say('warming up')
    const warm = await load({ ...plan, requests: WARM_UP_REQUESTS })
    say('overhead of the transport')
    const overhead = await overheadOf(server, url, await credentials(server), questions, rounds)
    say('load')
    const figures = await load({ ...plan, requests: Math.ceil(warm.rate * seconds) })
    const answered = [warm, figures].reduce((sum, { answers }) => sum + (answers.keyed?.[200] ?? 0), 0)
    const ledger = { answered, charged: await server.charged(org) }
    if (soakMinutes > 0) say(`soaking for ${soakMinutes} min at twice ${Math.round(figures.rate)}/s`)
    const soaked =
      soakMinutes > 0 ? await soak(server, plan, { rate: figures.rate * 2, minutes: soakMinutes }) : undefined
    return {
      command,
      machine: machine(),
      about: corpus.about,
      pages,
      queries: count,
      connections,
      overhead,
      load: figures,
      ledger,
      soak: soaked,
    }
  } finally {
    await server.stop()
  }
}

/** Creates a key and a plan for the measurement, so that the ledger of the load test counts nothing else. */
async function credentials(server: ServerProcess): Promise<Credentials> {
  const { key } = await server.customer(NO_LIMIT)
  return { key, token: await server.agent() }
}

/** Prints progress to standard error; the report goes to standard output. */
function say(text: string): void {
  console.error(`… ${text}`)
}
