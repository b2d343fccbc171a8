import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Engine } from '@asof/core'
import { type Command, Option } from 'commander'
import { openDataFolder } from '../../../service/data-folder/index.ts'
import {
  compareRankings,
  type EvaluatedMode,
  evaluate,
  evaluateRun,
  JudgedCollection,
  type JudgedQueries,
  type Measures,
  meanMeasures,
  plainQuery,
  type RankingMeasures,
  type RejectedQuery,
  readJudgedQueries,
  readTrecRun,
  TrecRun,
} from '../../../service/evaluate/index.ts'
import { printable } from '../../../service/index.ts'
import { type CommandContext, commandContext, onInterrupt, withData } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { evaluationText } from '../output/evaluation-text.ts'
import { dataOption, examples, jsonOption, timeHelp } from './shared-options.ts'

interface EvaluateFlags extends Flags {
  split: string
  queries?: string
  qrels?: string
  queryTime?: string
  mode: EvaluatedMode[]
  run?: string
  perQuery?: boolean
  /** True without a run file. */
  compare?: string | true
}

/** A collection or data folder to evaluate: its engine, its judged queries, and how a URL becomes a document id. */
interface Subject {
  name: string
  engine: Engine
  documents: number
  judged: JudgedQueries
  idOf: (url: string) => string
}

export function addEvaluateCommand(program: Command): void {
  program
    .command('evaluate')
    .description('measure the ranking on judged queries (nDCG@10, MAP, MRR@10, Recall@100, success@1)')
    .argument('[folder]', "a collection in BEIR's layout; it is indexed in a temporary folder")
    .option('--split <name>', 'judgments to use: qrels/<name>.tsv of the collection', 'test')
    .option('--queries <file>', 'without a folder: queries as JSON lines, searched in the data folder')
    .option('--qrels <file>', 'without a folder: judgments of these queries, whose documents are URLs')
    .option('--query-time <time>', 'search as of this time; the query_time of a query wins (default: now)')
    .addOption(
      new Option('--mode <mode...>', 'rankings to measure')
        .choices(['realtime', 'pro', 'webql'])
        .default(['realtime', 'pro']),
    )
    .option('--run <dir>', 'also write the results as TREC run files, <dir>/<mode>.run')
    .option('--per-query', 'also print the measures of each query')
    .option('--compare [run]', 'also test whether each ranking differs from the first one, or from a TREC run file')
    .option(...dataOption)
    .option(...jsonOption)
    .addHelpText('after', timeHelp)
    .addHelpText(
      'after',
      examples(
        'asof evaluate ./scifact --run ./runs',
        'asof evaluate ./scifact --compare ./runs/pro.run',
        'asof evaluate --queries qrels.topics.jsonl --qrels qrels',
      ),
    )
    .action(async (folder: string | undefined, flags: EvaluateFlags) => {
      const context = await commandContext(flags)
      const signal = onInterrupt(line => context.progress.line(line))
      const { queries, qrels } = flags
      if (flags.compare === true && new Set(flags.mode).size < 2)
        throw new UsageError('--compare needs two rankings: name two with --mode, or a run file')
      if (folder !== undefined) {
        if (queries !== undefined || qrels !== undefined)
          throw new UsageError('give a collection, or --queries and --qrels, not both')
        await evaluateCollection(context, new JudgedCollection(folder, flags.split), flags, signal)
      } else {
        if (queries === undefined || qrels === undefined)
          throw new UsageError('give the folder of a collection, or --queries and --qrels')
        await withData(context, async ({ engine }) => {
          const [judged, { captures }] = await Promise.all([readJudgedQueries(queries, qrels), engine.stats()])
          await report(
            context,
            { name: context.dir, engine, documents: captures, judged, idOf: url => url },
            flags,
            signal,
          )
        })
      }
    })
}

async function evaluateCollection(
  context: CommandContext,
  collection: JudgedCollection,
  flags: EvaluateFlags,
  signal: AbortSignal,
): Promise<void> {
  const { queries, leftOut } = await collection.queries()
  const dir = await mkdtemp(join(tmpdir(), 'asof-evaluate-'))
  try {
    const { embeddings, reranking } = context.settings
    const onNotice = (line: string) => context.progress.line(`asof: ${line}`)
    const data = await openDataFolder(dir, { share: false, embeddings, reranking, onNotice })
    try {
      const { engine } = data
      const pages = async function* () {
        for await (const { page } of collection.documents()) {
          signal.throwIfAborted()
          yield page
        }
      }
      context.progress.line(`asof: indexing ${collection.name}`)
      const { added, failures } = await engine.add(pages())
      for (const { url, message } of failures.slice(0, 10)) context.progress.line(`asof: ${url}: ${message}`)
      const plain = flags.mode.includes('webql') ? queries : queries.map(q => ({ ...q, text: plainQuery(q.text) }))
      const judged = { queries: plain, leftOut }
      const idOf = (url: string) => collection.idOf(url)
      await report(context, { name: collection.name, engine, documents: added, judged, idOf }, flags, signal)
    } finally {
      await data.close()
    }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Returns the ranking of the run file that the others are compared with, if there is one. */
async function rankingOfRun({ compare }: EvaluateFlags, judged: JudgedQueries): Promise<RankingMeasures | undefined> {
  if (typeof compare !== 'string') return undefined
  return { name: basename(compare), measures: evaluateRun(await readTrecRun(compare), judged.queries) }
}

async function report(
  context: CommandContext,
  subject: Subject,
  flags: EvaluateFlags,
  signal: AbortSignal,
): Promise<void> {
  const { name, engine, documents, judged, idOf } = subject
  if (judged.queries.length === 0) throw new UsageError('no query has a relevant document: nothing can be measured')
  const ofRun = await rankingOfRun(flags, judged)
  const ofModes: RankingMeasures[] = []
  const runs: string[] = []
  const rejections = new Map<EvaluatedMode, RejectedQuery[]>()
  for (const mode of new Set(flags.mode)) {
    const run = flags.run === undefined ? undefined : await TrecRun.create(flags.run, mode)
    try {
      context.progress.line(`asof: ${judged.queries.length} queries in mode ${mode}`)
      const outcome = await evaluate(engine, judged.queries, { mode, queryTime: flags.queryTime, idOf, run, signal })
      ofModes.push({ name: mode, measures: outcome.measures })
      if (outcome.rejected.length > 0) rejections.set(mode, outcome.rejected)
      if (run) runs.push(run.path)
    } finally {
      await run?.close()
    }
  }
  for (const [mode, rejected] of rejections) noteRejections(context, mode, rejected)
  if (rejections.size > 0) process.exitCode = 1
  const counts = { documents, queries: judged.queries.length, left_out: judged.leftOut }
  const rankings = ofRun ? [ofRun, ...ofModes] : ofModes
  const comparisons = flags.compare === undefined ? undefined : compareRankings(rankings)
  const ids = flags.perQuery === true ? judged.queries.map(({ id }) => id) : undefined
  context.print(
    context.json
      ? JSON.stringify({
          collection: name,
          ...counts,
          modes: byName(ofModes, meanMeasures),
          per_query: ids && byName(rankings, measures => Object.fromEntries(ids.map((id, i) => [id, measures[i]]))),
          comparisons,
          rejected: rejections.size > 0 ? Object.fromEntries(rejections) : undefined,
          runs: runs[0] && runs,
        })
      : evaluationText({ name, counts, rankings, ids, comparisons, rejections, runs }),
  )
}

function byName<T>(rankings: readonly RankingMeasures[], read: (measures: Measures[]) => T): Record<string, T> {
  return Object.fromEntries(rankings.map(({ name, measures }) => [name, read(measures)]))
}

const SHOWN_REJECTIONS = 10

/** Writes to standard error which queries were rejected, and why. */
function noteRejections({ progress }: CommandContext, mode: EvaluatedMode, rejected: readonly RejectedQuery[]): void {
  const lines = rejected
    .slice(0, SHOWN_REJECTIONS)
    .map(({ id, message }) => `query ${printable(id)}: ${printable(message)}`)
  const more = rejected.length - lines.length
  if (more > 0) lines.push(`and ${more} more queries`)
  for (const line of lines) progress.line(`asof: rejected in mode ${mode}: ${line}`)
}
