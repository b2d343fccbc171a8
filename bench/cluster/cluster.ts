import { parseArgs } from 'node:util'
import { isAsofError, type SearchOptions } from '@asof/core'
import postgres from 'postgres'
import { type ClusterEngine, type ClusterHealth, openCluster } from '../../cluster/index.ts'
import { ClusterDatabase } from '../../cluster/stored/database.ts'
import { machine } from '../apparatus/machine.ts'
import { bestOfRounds, percentile, sorted } from '../apparatus/percentiles.ts'
import { seededRandom } from '../apparatus/random.ts'
import { defaultCorpus } from '../apparatus/synthetic.ts'
import { count, milliseconds, table } from '../apparatus/text-table.ts'
import { drawQuestions } from '../questions/draw-questions.ts'
import type { LaneName, Question } from '../questions/question.ts'
import { startBodyStore } from './body-store.ts'
import { CapturedPages, LANG } from './captured-pages.ts'
import { type ClusterServers, clusterServers } from './cluster-servers.ts'
import { fillDirectly } from './direct-fill.ts'
import { spaceOf } from './disk-space.ts'
import { PlainIndex } from './plain-index.ts'

const help = `npm run bench -- cluster [options]

Writes generated pages to a cluster of one OpenSearch and one PostgreSQL, and searches them, beside plain BM25 with a date filter
in the same OpenSearch. Starts both servers, or takes those that ASOF_TEST_OPENSEARCH and ASOF_TEST_POSTGRES name. One capture in
four is of a page that was captured before.

  --pages N       number of captures (20000)
  --copies N      number of pages that have the same text (1); more make a direct fill faster
  --words N       mean number of words in a page (${defaultCorpus.meanWords})
  --queries N     number of queries in each lane (100)
  --rounds N      number of times that each query is asked (3)
  --lanes NAMES   comma-separated lanes (all); without plain lanes no plain index is written
  --fill HOW      add: by the engine, which is measured (default); direct: rows and documents as they would be then, in a
                  tenth of the time
  --minutes N     end a direct fill after the whole million that is reached then
  --shards N      shards of both indexes (1)
  --objects KIND  where the bodies are, if not in PostgreSQL: folder, or s3 for a server on loopback
  --keep NAME     keep the cluster under this name, or search it again if it is there (lower-case letters, digits and _)
  --heap MB       heap of OpenSearch, if it is started (1024)
  --seed N        seed of the pages and the queries (${defaultCorpus.seed})`

/** Number of captures that one call adds. */
const BATCH = 1_000

/** Number of captures that the lane `fetch` reads at a time. A search for ten results reads at least as many if none is cached. */
const CANDIDATES = 10

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
  /** The outcomes of the proofs, see `ProofCounts`. */
  proved: number
  widened: number
  uncertain: number
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
      copies: { type: 'string', default: '1' },
      words: { type: 'string', default: String(defaultCorpus.meanWords) },
      queries: { type: 'string', default: '100' },
      rounds: { type: 'string', default: '3' },
      lanes: { type: 'string' },
      fill: { type: 'string', default: 'add' },
      minutes: { type: 'string', default: 'Infinity' },
      shards: { type: 'string', default: '1' },
      objects: { type: 'string' },
      keep: { type: 'string' },
      heap: { type: 'string', default: '1024' },
      seed: { type: 'string', default: String(defaultCorpus.seed) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(help)
  const [seed, shards, meanWords] = [Number(values.seed), Number(values.shards), Number(values.words)]
  const asked = values.lanes?.split(',')
  const servers = await clusterServers(Number(values.heap))
  const store = await startBodyStore(values.objects)
  const name = values.keep ?? `bench_${process.pid}`
  const target = { search: servers.search, database: servers.database, objects: store.objects, name, shards }
  try {
    const pages = new CapturedPages({
      ...defaultCorpus,
      pages: Number(values.pages),
      seed,
      meanWords,
      copies: Number(values.copies),
    })
    const plain = await PlainIndex.open(servers.search, `${name}_plain`, shards)
    let engine = await openCluster(target)
    try {
      const isThere = (await engine.stats()).captures > 0
      let written: Written | undefined
      if (!isThere && values.fill === 'direct') {
        await engine.close()
        const endsAt = performance.now() + Number(values.minutes) * 60_000
        written = await measureFill(servers, onProgress =>
          fillDirectly(pages, target, filled => {
            onProgress(filled)
            return performance.now() < endsAt
          }),
        )
        engine = await openCluster(target)
      } else if (!isThere) written = await add(servers, engine, pages)
      const { captures } = await engine.stats()
      if (asked?.some(lane => lane.startsWith('plain')) ?? true) await plain.fill(pages, captures)
      const questions = drawQuestions(pages.survey(captures), { count: Number(values.queries), seed, source: 'bands' })
      const measured: Measured[] = []
      const database = await ClusterDatabase.open(servers.database, name, target.objects)
      const lanes = [...lanesOf(questions, engine, plain), fetchLane(questions.asof, database, captures)]
      for (const lane of lanes.filter(({ name }) => asked?.includes(name) ?? true))
        measured.push(await measure(lane, engine, Number(values.rounds)))
      await database.close()
      const about = `${count(captures)} generated captures, mean of ${meanWords} words, seed ${seed}`
      console.log(`${reportOf({ about, written, measured })}\n${sizesOf(await engine.health())}`)
      console.log(`\n${await spaceOf(target, captures)}`)
    } finally {
      await engine.close()
      await plain.close()
      if (values.keep === undefined) await drop(servers, name)
    }
  } finally {
    await store.stop()
    await servers.stop()
  }
}

/** Returns the size of the data in PostgreSQL and in the object store, as a text. */
function sizesOf({ database, objects }: ClusterHealth): string {
  const megabytes = (bytes: number): string => `${count(bytes / 1e6)} MB`
  const sizes: string[] = []
  if ('bytes' in database) sizes.push(`PostgreSQL: ${megabytes(database.bytes)}`)
  if (objects && 'bytes' in objects)
    sizes.push(`object store: ${megabytes(objects.bytes)} in ${count(objects.objects)} objects`)
  return sizes.join('; ')
}

async function drop({ search, database }: ClusterServers, name: string): Promise<void> {
  await fetch(`${search}/${name}*`, { method: 'DELETE' })
  const sql = postgres(database, { onnotice: () => {} })
  await sql`drop schema ${sql(name)} cascade`
  await sql.end()
}

/** Adds the pages to the cluster. */
function add(servers: ClusterServers, engine: ClusterEngine, pages: CapturedPages): Promise<Written> {
  const { pages: captures } = pages.settings
  return measureFill(servers, async onProgress => {
    for (let from = 0; from < captures; from += BATCH) {
      const { failures } = await engine.add(
        pages.range(from, from + BATCH).map(({ url, title, text, acquiredAt, publishedAt }) => ({
          url,
          title,
          markdown: text,
          acquiredAt,
          lang: LANG,
          publishedAt,
        })),
      )
      if (failures[0]) throw new Error(failures[0].message)
      onProgress(Math.min(captures, from + BATCH))
    }
    return captures
  })
}

/** Measures how a cluster is filled, the generation of the pages included. */
async function measureFill(
  servers: ClusterServers,
  fill: (onProgress: (captures: number) => void) => Promise<number>,
): Promise<Written> {
  const cpu = process.cpuUsage()
  const before = servers.cpuSeconds()
  const beganMs = performance.now()
  let shownAt = beganMs
  const captures = await fill(filled => {
    if (performance.now() - shownAt < 20_000) return
    shownAt = performance.now()
    console.error(`… ${count(filled)} captures, ${count((filled * 1000) / (shownAt - beganMs))}/s`)
  })
  const seconds = (performance.now() - beganMs) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const after = servers.cpuSeconds()
  return {
    captures,
    seconds,
    cpu: {
      asof: (user + system) / 1e6,
      search: after.search - before.search,
      database: after.database - before.database,
    },
  }
}

/** Asks the questions of a lane one at a time. Caches are not cleared, so the first round finds what earlier lanes left in them. */
async function measure(
  { name, about, questions, ask }: Lane,
  engine: ClusterEngine,
  rounds: number,
): Promise<Measured> {
  console.error(`… ${name}`)
  const times: number[][] = []
  const refused = new Set<Question>()
  const proofs = { ...engine.proofs }
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
    proved: engine.proofs.proved - proofs.proved,
    widened: engine.proofs.widened - proofs.widened,
    uncertain: engine.proofs.uncertain - proofs.uncertain,
    cpuMs: (user + system) / 1e3 / (rounds * questions.length),
  }
}

function lanesOf(drawn: Record<LaneName, Question[]>, engine: ClusterEngine, plain: PlainIndex): Lane[] {
  const { or10, asof, phrase, answers } = drawn
  const byPlain: Ask = ({ words, limit, instant }) => plain.search(words.join(' '), limit, instant)
  const byCluster =
    (mode: 'realtime' | 'pro', listing: SearchOptions = {}): Ask =>
    ({ form, words, limit, instant, contents }) =>
      engine.search(form === 'phrase' ? `"${words.join(' ')}"` : words.join(' '), {
        mode,
        maxResults: limit,
        snippetMaxLength: contents === 'answers' ? undefined : 0,
        queryTime: instant,
        ...listing,
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
    {
      name: 'total',
      about: 'as of random past instants, with the number of all matches',
      questions: asof,
      ask: byCluster('realtime', { offset: 0 }),
    },
    {
      name: 'facets',
      about: 'the same with counts by month of publication and day of capture',
      questions: asof,
      ask: byCluster('realtime', { facets: ['publishedAt:month', 'acquiredAt:day'] }),
    },
    {
      name: 'by-date',
      about: 'the same matches by publish date, latest first',
      questions: asof,
      ask: byCluster('realtime', { sort: 'publishedAt:desc' }),
    },
  ]
}

/** The lane that reads random captures from PostgreSQL, as a search does with candidates that are not cached. */
function fetchLane(questions: Question[], database: ClusterDatabase, captures: number): Lane {
  const random = seededRandom(captures)
  return {
    name: 'fetch',
    about: `${CANDIDATES} random captures read from PostgreSQL, not analyzed`,
    questions,
    ask: () => {
      const ids = Array.from({ length: CANDIDATES }, () => 1 + random.below(captures))
      return database.pages(database.sql).captures(ids, new Set(ids))
    },
  }
}

function reportOf({
  about,
  written,
  measured,
}: {
  about: string
  written: Written | undefined
  measured: readonly Measured[]
}): string {
  const { processor, cores, node, commit } = machine()
  const rows = measured.map(({ name, about, rounds, refused, proved, widened, uncertain, cpuMs }) => {
    const [first, best] = [sorted(rounds[0]!), sorted(bestOfRounds(rounds))]
    const shares = [first, best].flatMap(ms => [percentile(ms, 0.5), percentile(ms, 0.95)])
    const counts = [proved, widened, uncertain, refused].map(count)
    return [name, ...shares.map(milliseconds), milliseconds(cpuMs), ...counts, about]
  })
  const heads = ['lane', 'p50 ms, first', 'p95', 'p50 ms, best', 'p95', 'CPU ms here']
  const lines = [about, `${processor}, ${cores} cores, Node ${node}, asof ${commit}`, '']
  if (written) lines.push(tableOf(written), '')
  lines.push(table([...heads, 'proved', 'widened', 'uncertain', 'refused', 'what'], rows))
  return lines.join('\n')
}

function tableOf({ captures, seconds, cpu }: Written): string {
  const all = cpu.asof + cpu.search + cpu.database
  const heads = ['written', 'captures/s', 'CPU s: asof', 'OpenSearch', 'PostgreSQL', 'captures per CPU s']
  // The processor time of servers that this program did not start is not known.
  const orUnknown = (value: number, text: string): string => (Number.isNaN(value) ? '–' : text)
  const cpuSeconds = [cpu.asof, cpu.search, cpu.database].map(value => orUnknown(value, value.toFixed(1)))
  const perSecond = orUnknown(all, count(captures / all))
  return table(heads, [[count(captures), count(captures / seconds), ...cpuSeconds, perSecond]])
}
