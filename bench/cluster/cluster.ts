import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { isAsofError } from '@asof/core'
import postgres from 'postgres'
import { type ClusterEngine, openCluster } from '../../cluster/index.ts'
import { prepareCorpus } from '../apparatus/corpus.ts'
import { machine } from '../apparatus/machine.ts'
import { type BenchPage, readPages } from '../apparatus/page-file.ts'
import { bestOfRounds, percentile, sorted } from '../apparatus/percentiles.ts'
import { seededRandom } from '../apparatus/random.ts'
import { defaultCorpus } from '../apparatus/synthetic.ts'
import { count, milliseconds, table } from '../apparatus/text-table.ts'
import { drawQuestions } from '../questions/draw-questions.ts'
import type { LaneName, Question } from '../questions/question.ts'
import { type ClusterServers, clusterServers } from './cluster-servers.ts'
import { PlainIndex } from './plain-index.ts'

const help = `npm run bench -- cluster [options]

Writes generated pages to a cluster of one OpenSearch and one PostgreSQL, and searches them, beside plain BM25 with a date filter
in the same OpenSearch. Starts both servers, or takes those that ASOF_TEST_OPENSEARCH and ASOF_TEST_POSTGRES name. One capture in
four is of a page that was captured before.

  --pages N       number of captures (20000)
  --words N       mean number of words in a page (${defaultCorpus.meanWords})
  --queries N     number of queries in each lane (100)
  --rounds N      number of times that each query is asked (3)
  --lanes NAMES   comma-separated lanes (all)
  --shards N      shards of both indexes (1)
  --keep NAME     keep the cluster under this name, or search it again if it is there (lower-case letters, digits and _)
  --heap MB       heap of OpenSearch, if it is started (1024)
  --seed N        seed of the pages and the queries (${defaultCorpus.seed})`

/** Captures that are handed to a batch of an index. */
const BATCH = 1_000

/** Asks one question. */
type Ask = (question: Question) => Promise<unknown>

interface Lane {
  name: string
  about: string
  questions: Question[]
  ask: Ask
}

interface Measured {
  name: string
  about: string
  /** For each round the time of each query that was answered, milliseconds by the clock. */
  rounds: number[][]
  /** Number of queries that were refused, such as those with a misspelled word, or not proved. */
  refused: number
  /** Processor time of this process for each query and round, milliseconds. */
  cpuMs: number
}

interface Written {
  captures: number
  seconds: number
  cpu: { asof: number; search: number; database: number }
}

/** The suite `cluster`: measures writes and searches of a cluster. */
export async function cluster(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      pages: { type: 'string', default: '20000' },
      words: { type: 'string', default: String(defaultCorpus.meanWords) },
      queries: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '3' },
      lanes: { type: 'string' },
      shards: { type: 'string', default: '1' },
      keep: { type: 'string' },
      heap: { type: 'string', default: '1024' },
      seed: { type: 'string', default: String(defaultCorpus.seed) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(help)
  const [seed, shards, meanWords] = [Number(values.seed), Number(values.shards), Number(values.words)]
  const folder = mkdtempSync(join(tmpdir(), 'asof-bench-cluster-'))
  const servers = await clusterServers(Number(values.heap))
  const name = values.keep ?? `bench_${process.pid}`
  try {
    console.error('… preparing the pages')
    const corpus = await prepareCorpus(folder, { pages: Number(values.pages), seed, meanWords })
    const questions = drawQuestions(corpus.survey, { count: Number(values.queries), seed, source: 'bands' })
    const plain = await PlainIndex.open(servers.search, `${name}_plain`, shards)
    const engine = await openCluster({ search: servers.search, database: servers.database, name, shards })
    try {
      const isThere = (await engine.stats()).captures > 0
      const written = isThere ? undefined : await write(servers, engine, plain, corpus.pagesPath, seed)
      const lanes = lanesOf(questions, engine, plain)
      const asked = values.lanes?.split(',')
      const measured: Measured[] = []
      for (const lane of lanes.filter(({ name }) => asked?.includes(name) ?? true))
        measured.push(await measure(lane, Number(values.rounds)))
      const about = `${count(corpus.choice.pages)} ${corpus.about}, mean of ${meanWords} words`
      console.log(reportOf({ about, written, measured, engine }))
    } finally {
      await engine.close()
      await plain.close()
      if (values.keep === undefined) await drop(servers, name)
    }
  } finally {
    await servers.stop()
    rmSync(folder, { recursive: true })
  }
}

async function drop({ search, database }: ClusterServers, name: string): Promise<void> {
  await fetch(`${search}/${name}*`, { method: 'DELETE' })
  const sql = postgres(database, { onnotice: () => {} })
  await sql`drop schema ${sql(name)} cascade`
  await sql.end()
}

/** Writes the pages to both indexes, and measures those of the cluster. */
async function write(
  servers: ClusterServers,
  engine: ClusterEngine,
  plain: PlainIndex,
  pagesPath: string,
  seed: number,
): Promise<Written> {
  const supersededAt = new Map<number, number>()
  const numbers = new Map<string, number>()
  const random = seededRandom(seed, 0x53)
  const urls: string[] = []
  const captured = (page: BenchPage): BenchPage => {
    const url = page.number % 4 === 3 ? urls[random.below(urls.length)]! : page.url
    urls.push(url)
    const before = numbers.get(url)
    if (before !== undefined) supersededAt.set(before, page.acquiredAt)
    numbers.set(url, page.number)
    return { ...page, url }
  }
  const written: Written = { captures: 0, seconds: 0, cpu: { asof: 0, search: 0, database: 0 } }
  let shownAt = performance.now()
  for await (const pages of readPages(pagesPath, BATCH)) {
    const captures = pages.map(captured)
    const cpu = process.cpuUsage()
    const before = servers.cpuSeconds()
    const beganMs = performance.now()
    const { failed } = await engine.add(
      captures.map(({ url, title, text, acquiredAt, publishedAt }) => ({
        ...{ url, title, markdown: text, acquiredAt },
        ...(publishedAt !== undefined && { publishedAt }),
      })),
    )
    written.seconds += (performance.now() - beganMs) / 1000
    const { user, system } = process.cpuUsage(cpu)
    const after = servers.cpuSeconds()
    written.cpu.asof += (user + system) / 1e6
    written.cpu.search += after.search - before.search
    written.cpu.database += after.database - before.database
    if (failed[0]) throw failed[0].error
    written.captures += captures.length
    if (performance.now() - shownAt < 20_000) continue
    shownAt = performance.now()
    console.error(`… ${count(written.captures)} captures, ${count(written.captures / written.seconds)}/s`)
  }
  console.error('… writing the plain index')
  numbers.clear()
  let number = 0
  for await (const pages of readPages(pagesPath, BATCH))
    await plain.add(
      pages.map(page => ({ ...page, url: urls[number++]! })),
      supersededAt,
    )
  await plain.refresh()
  return written
}

/** Asks each question, one at a time. The first round finds caches as the lanes before left them. */
async function measure({ name, about, questions, ask }: Lane, rounds: number): Promise<Measured> {
  console.error(`… ${name}`)
  const times: number[][] = []
  const refused = new Set<Question>()
  const cpu = process.cpuUsage()
  for (let round = 0; round < rounds; round++) {
    const ms: number[] = []
    for (const question of questions) {
      if (refused.has(question)) continue
      const beganMs = performance.now()
      try {
        await ask(question)
        ms.push(performance.now() - beganMs)
      } catch (error) {
        if (!isAsofError(error, 'ASOF_UNSUPPORTED') && !isAsofError(error, 'ASOF_UNCERTAIN')) throw error
        refused.add(question)
      }
    }
    times.push(ms)
  }
  const { user, system } = process.cpuUsage(cpu)
  return {
    name,
    about,
    rounds: times,
    refused: refused.size,
    cpuMs: (user + system) / 1e3 / (rounds * questions.length),
  }
}

function lanesOf(drawn: Record<LaneName, Question[]>, engine: ClusterEngine, plain: PlainIndex): Lane[] {
  const { or10, asof, phrase, answers } = drawn
  const byPlain: Ask = ({ words, limit, instant }) => plain.search(words.join(' '), limit, instant)
  const byCluster =
    (mode: 'realtime' | 'pro'): Ask =>
    ({ form, words, limit, instant, snippets }) =>
      engine.search(form === 'phrase' ? `"${words.join(' ')}"` : words.join(' '), {
        ...{ mode, maxResults: limit, ...(!snippets && { snippetMaxLength: 0 }) },
        ...(instant !== undefined && { queryTime: instant }),
      })
  return [
    {
      name: 'warm-up',
      about: 'not measured: the same of other words',
      questions: asof.slice().reverse(),
      ask: byCluster('realtime'),
    },
    { name: 'plain', about: 'OpenSearch alone: BM25, pages that are current', questions: or10, ask: byPlain },
    { name: 'plain-asof', about: 'OpenSearch alone: BM25 with a date filter', questions: asof, ask: byPlain },
    { name: 'now', about: 'OR of 2–6 words, top 10', questions: or10, ask: byCluster('realtime') },
    { name: 'asof', about: 'the same as of random past instants', questions: asof, ask: byCluster('realtime') },
    { name: 'phrase', about: 'two adjacent words of a page, top 10', questions: phrase, ask: byCluster('realtime') },
    { name: 'answers', about: 'now, with snippets', questions: answers, ask: byCluster('realtime') },
    { name: 'pro', about: 'now, in mode pro', questions: or10, ask: byCluster('pro') },
  ]
}

function reportOf({
  about,
  written,
  measured,
  engine,
}: {
  about: string
  written: Written | undefined
  measured: readonly Measured[]
  engine: ClusterEngine
}): string {
  const { processor, cores, node, commit } = machine()
  const rows = measured.map(({ name, about, rounds, refused, cpuMs }) => {
    const [first, best] = [sorted(rounds[0]!), sorted(bestOfRounds(rounds))]
    const shares = [first, best].flatMap(ms => [percentile(ms, 0.5), percentile(ms, 0.95)])
    return [name, ...shares.map(milliseconds), milliseconds(cpuMs), count(refused), about]
  })
  const { proved, widened, uncertain } = engine.proofs
  return [
    about,
    `${processor}, ${cores} cores, Node ${node}, asof ${commit}`,
    '',
    ...(written ? [tableOf(written), ''] : []),
    table(['lane', 'p50 ms, first', 'p95', 'p50 ms, best', 'p95', 'CPU ms here', 'refused', 'what'], rows),
    '',
    `${count(proved)} answers proved, ${count(widened)} further searches for candidates, ${count(uncertain)} uncertain`,
  ].join('\n')
}

function tableOf({ captures, seconds, cpu }: Written): string {
  const all = cpu.asof + cpu.search + cpu.database
  const heads = ['written', 'captures/s', 'CPU s: asof', 'OpenSearch', 'PostgreSQL', 'captures per CPU s']
  const cpuSeconds = [cpu.asof, cpu.search, cpu.database].map(value => value.toFixed(1))
  return table(heads, [[count(captures), count(captures / seconds), ...cpuSeconds, count(captures / all)]])
}
