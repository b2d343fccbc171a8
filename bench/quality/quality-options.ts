import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { EngineName } from '../engines/engine.ts'
import { isCollection } from './judged-collection.ts'
import type { ModelAddress } from './quality-models.ts'

export interface QualityOptions {
  folders: string[]
  rivals: EngineName[]
  /** Most queries taken of a collection, evenly over its list. */
  queries: number
  /** Asks only the queries that have quotation marks, and leaves the marks in for asof. */
  quoted: boolean
  /** Whether the built-in known-item collection takes part. */
  knownItems: boolean
  /** An export of feedback to replay, and the data folder it is about. */
  feedback?: { qrels: string; data: string }
  /** Models that `pro` is measured with besides. */
  models: { embed?: ModelAddress; rerank?: ModelAddress }
  lucene?: string
  out?: string
}

const rivalNames = ['minisearch', 'flexsearch', 'orama', 'fts5'] as const

/** Judged collections that a checkout may have beside it. */
const collections = join(import.meta.dirname, '..', '..', '..', 'shared', 'corpora')

export const qualityHelp = `npm run bench -- quality [options] [folder…]

Ranks judged collections in BEIR's layout (corpus.jsonl or .gz, queries.jsonl, qrels.tsv) with asof and its rivals, and
measures the rankings as trec_eval does. Default folders: ../shared/corpora/*, when there, and a collection of known
items made of the installed packages: description → README.

  --engines A,B   rivals: ${rivalNames.join(', ')} (none); Lucene takes part where it can
  --queries N     at most so many of each collection, evenly over its list (all)
  --quoted        only queries with quotation marks, which asof is asked with; the others get their words
  --known-items   the known items besides the folders given
  --feedback FILE replays what "asof feedback export --out FILE" wrote, each query as of its own time …
  --data DIR      … on this data folder
  --embed URL     an endpoint of embeddings, as ASOF_EMBED_URL names one: pro with vectors takes part …
  --embed-model NAME   … of this model
  --rerank URL    an endpoint that reranks, as ASOF_RERANK_URL names one …
  --rerank-model NAME  … with this model
  --lucene DIR    folder that has Lucene's jars (those that Debian installs)
  --out FILE      writes the report there too; the one in the repository is bench/QUALITY.md`

/** Reads the options of the suite; `undefined` when help was asked for. */
export function readQualityOptions(args: string[]): QualityOptions | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      engines: { type: 'string', default: '' },
      queries: { type: 'string' },
      quoted: { type: 'boolean', default: false },
      'known-items': { type: 'boolean', default: false },
      feedback: { type: 'string' },
      data: { type: 'string' },
      embed: { type: 'string' },
      'embed-model': { type: 'string' },
      rerank: { type: 'string' },
      'rerank-model': { type: 'string' },
      lucene: { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const queries = values.queries === undefined ? Number.MAX_SAFE_INTEGER : Number(values.queries)
  if (!Number.isSafeInteger(queries) || queries < 1) throw new RangeError('--queries takes a whole number above 0')
  const wanted = values.engines.split(',').filter(name => name !== '')
  const unknown = wanted.find(name => !rivalNames.some(known => known === name))
  if (unknown !== undefined) throw new RangeError(`--engines knows ${rivalNames.join(', ')}, not ${unknown}`)
  const folders = positionals.length > 0 ? positionals : defaultFolders()
  const wrong = folders.find(folder => !isCollection(folder))
  if (wrong !== undefined) throw new RangeError(`${wrong} has no queries.jsonl and qrels.tsv`)
  const knownItems = values['known-items'] || positionals.length === 0
  const { feedback: qrels, data } = values
  if ((qrels === undefined) !== (data === undefined)) throw new RangeError('--feedback and --data go together')
  const embed = modelAddress('embed', values.embed, values['embed-model'])
  const rerank = modelAddress('rerank', values.rerank, values['rerank-model'])
  if (folders.length === 0 && !knownItems)
    throw new RangeError(`no collection: give folders, or put them into ${collections}`)
  return {
    folders,
    queries,
    quoted: values.quoted,
    knownItems,
    ...(qrels !== undefined && data !== undefined && { feedback: { qrels, data } }),
    models: { ...(embed && { embed }), ...(rerank && { rerank }) },
    rivals: rivalNames.filter(name => wanted.includes(name)),
    ...(values.lucene !== undefined && { lucene: values.lucene }),
    ...(values.out !== undefined && { out: values.out }),
  }
}

function modelAddress(
  option: string,
  baseUrl: string | undefined,
  model: string | undefined,
): ModelAddress | undefined {
  if ((baseUrl === undefined) !== (model === undefined))
    throw new RangeError(`--${option} and --${option}-model go together`)
  if (baseUrl === undefined || model === undefined) return undefined
  if (!URL.canParse(baseUrl)) throw new RangeError(`--${option} takes the base URL of an endpoint, not ${baseUrl}`)
  return { baseUrl, model }
}

function defaultFolders(): string[] {
  if (!existsSync(collections)) return []
  return readdirSync(collections)
    .sort()
    .map(name => join(collections, name))
    .filter(isCollection)
}
