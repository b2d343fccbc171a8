import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { measure } from '../../service/evaluate/ranking-measures.ts'
import { machine } from '../apparatus/machine.ts'
import { compileLucene } from '../engines/lucene-program.ts'
import { evenly } from './evenly.ts'
import { replayFeedback } from './feedback-replay.ts'
import { type JudgedCollection, readCollection } from './judged-collection.ts'
import { knownItems } from './known-items.ts'
import { hybridRankings } from './orama-hybrid.ts'
import { qualityModels } from './quality-models.ts'
import { type QualityOptions, qualityHelp, readQualityOptions } from './quality-options.ts'
import { type CollectionResult, qualityReport } from './quality-report.ts'
import {
  asofRankings,
  grid,
  hasQuotationMarks,
  luceneRankings,
  plainRankings,
  type Rankings,
  rivalRankings,
  standardPoint,
} from './quality-systems.ts'
import { VectorCache } from './vector-cache.ts'

/** The suite `quality`: quality of the results on collections with judged queries. See {@link qualityHelp}. */
export async function quality(args: string[]): Promise<void> {
  const options = readQualityOptions(args)
  if (!options) {
    console.log(qualityHelp)
    return
  }
  const lucene = compileLucene('Quality')
  if (options.hint !== undefined) console.error(options.hint)
  const cache = await VectorCache.open(options.vectors)
  const models = qualityModels(options.models, cache)
  const results: CollectionResult[] = []
  try {
    for (const read of collectionsOf(options)) {
      const whole = options.quoted ? quotedQueries(await read()) : await read()
      const collection = { ...whole, queries: evenly(whole.queries, options.queries) }
      if (collection.queries.length === 0) continue
      console.error(`… ${collection.name}: ${collection.pages.length} documents, ${collection.queries.length} queries`)
      const rankings: Rankings = new Map([
        ...plainRankings(collection, lucene ? [standardPoint] : grid),
        ...(await asofRankings(collection, { models, quoted: options.quoted })),
      ])
      if (lucene) for (const [system, ranked] of await luceneRankings(collection, lucene)) rankings.set(system, ranked)
      for (const name of options.rivals)
        for (const [system, ranked] of await rivalRankings(name, collection)) rankings.set(system, ranked)
      if (models?.embed && options.rivals.includes('orama'))
        for (const [system, ranked] of await hybridRankings(collection, models.embed)) rankings.set(system, ranked)
      results.push(measured(collection, rankings))
    }
  } finally {
    await models?.close()
    await cache.close()
  }
  const replay = options.feedback && (await replayFeedback(options.feedback.qrels, options.feedback.data))
  const report = qualityReport(results, {
    replay,
    machine: machine(),
    lucene: lucene?.version,
    models: [models?.embed, models?.rerank].flatMap(model => model?.model ?? []),
    command: ['quality', ...args].join(' '),
  })
  console.log(report)
  if (options.out !== undefined) writeFileSync(options.out, `${report}\n`)
}

/** Returns functions that read one collection each, so that only one is in memory at a time. */
function collectionsOf({
  folders,
  knownItems: isWanted,
}: QualityOptions): (() => JudgedCollection | Promise<JudgedCollection>)[] {
  const installed = ['../../node_modules', '../node_modules'].map(path => join(import.meta.dirname, path))
  const collections = folders.map(folder => () => readCollection(folder))
  return isWanted ? [...collections, () => knownItems(installed)] : collections
}

function quotedQueries(collection: JudgedCollection): JudgedCollection {
  return { ...collection, queries: collection.queries.filter(({ text }) => hasQuotationMarks(text)) }
}

function measured({ name, pages, ids, queries }: JudgedCollection, rankings: Rankings): CollectionResult {
  const systems = [...rankings].map(([system, ranked]): [string, ReturnType<typeof measure>[]] => [
    system,
    queries.map(({ grades }, q) =>
      measure(
        ranked[q]!.map(number => ids[number]!),
        grades,
      ),
    ),
  ])
  return { name, documents: pages.length, queries: queries.length, systems: new Map(systems) }
}
