import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { EngineName } from '../engines/engine.ts'
import { isCollection } from './judged-collection.ts'
import { bestLocalModel } from './local-embedder.ts'
import type { LocalAddress, ModelAddress } from './quality-models.ts'

/** Options of the suite `quality`, see {@link qualityHelp}. */
export interface QualityOptions {
  folders: string[]
  rivals: EngineName[]
  /** Maximum number of queries per collection, evenly spaced over its list. */
  queries: number
  /** True to use only queries with quotation marks, which asof receives with the marks. */
  quoted: boolean
  /** True to include the known-item collection. */
  knownItems: boolean
  /** An export of feedback to replay, and the data folder it belongs to. */
  feedback?: { qrels: string; data: string }
  /** Models for an additional measurement of `pro`. */
  models: { embed?: ModelAddress | LocalAddress; rerank?: ModelAddress | LocalAddress }
  /** How to add models that `--models local` would use too. */
  hint?: string
  /** The folder that keeps the vectors of a model in this process. */
  vectors?: string
  out?: string
}

const rivalNames = ['minisearch', 'flexsearch', 'orama', 'fts5'] as const

/** Default folder of judged collections, beside the checkout; it need not exist. */
const collections = join(import.meta.dirname, '..', '..', '..', 'shared', 'corpora')

export const qualityHelp = `npm run bench -- quality [options] [folder…]

Ranks judged collections in the BEIR layout (corpus.jsonl or .gz, queries.jsonl, qrels.tsv or qrels/test.tsv) with asof and
other engines, and computes the measures of trec_eval. Default: the folders in ../shared/corpora, if it exists, and a known-item
collection of the installed packages, in which the description of a package must find its README.

  --engines A,B   other engines: ${rivalNames.join(', ')} (none); Lucene is included if a JDK and Maven are installed, with its
                  analyzer for English and with its plain one; orama with a model is also asked for words and vectors
  --queries N     maximum number of queries per collection, evenly spaced over its list (all)
  --quoted        only queries with quotation marks; asof receives the marks, other engines only the words
  --known-items   include the known-item collection besides the given folders
  --feedback FILE replay the judgments that "asof feedback export --out FILE" wrote, each query as of its own time
  --data DIR      data folder that the feedback belongs to; required with --feedback
  --models local  adds pro with the models in this process that "asof model add" has added: minilm and bge-small as a
                  pair, or the one that is there
  --embed URL     base URL of an embeddings endpoint, as in ASOF_EMBED_URL; adds pro with vectors
  --embed-model NAME   model of --embed; or, without --embed, local: and the name of a model of "asof model add"
  --vectors DIR   keep the vectors of a model in this process in DIR, so that a second run is fast
  --rerank URL    base URL of a reranking endpoint, as in ASOF_RERANK_URL; adds pro with reranking
  --rerank-model NAME  model of --rerank; or, without --rerank, local: and the name of a model of "asof model add"
  --out FILE      also write the report to FILE; the report in the repository is bench/QUALITY.md`

/** Parses the options; returns undefined for `--help`. */
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
      models: { type: 'string' },
      vectors: { type: 'string' },
      embed: { type: 'string' },
      'embed-model': { type: 'string' },
      rerank: { type: 'string' },
      'rerank-model': { type: 'string' },
      out: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const queries = values.queries === undefined ? Number.MAX_SAFE_INTEGER : Number(values.queries)
  if (!Number.isSafeInteger(queries) || queries < 1)
    throw new RangeError(`--queries must be a whole number of at least 1, not "${values.queries}"`)
  const wanted = values.engines.split(',').filter(name => name !== '')
  const unknown = wanted.find(name => !rivalNames.some(known => known === name))
  if (unknown !== undefined) throw new RangeError(`--engines: unknown name "${unknown}"; use ${rivalNames.join(', ')}`)
  const folders = positionals.length > 0 ? positionals : defaultFolders()
  const wrong = folders.find(folder => !isCollection(folder))
  if (wrong !== undefined)
    throw new RangeError(`${wrong} is not a collection: it needs queries.jsonl, and qrels.tsv or qrels/test.tsv`)
  const knownItems = values['known-items'] || positionals.length === 0
  const { feedback: qrels, data } = values
  if ((qrels === undefined) !== (data === undefined))
    throw new RangeError('--feedback and --data must be given together')
  const choice = localChoice(values)
  const embed =
    choice?.address ?? localAddress(values['embed-model']) ?? modelAddress('embed', values.embed, values['embed-model'])
  if (values.vectors !== undefined && !(embed && 'local' in embed))
    throw new RangeError(
      '--vectors keeps the vectors of a model in this process: name one by --models or --embed-model',
    )
  const rerank = localAddress(values['rerank-model']) ?? modelAddress('rerank', values.rerank, values['rerank-model'])
  if (folders.length === 0 && !knownItems)
    throw new RangeError(`no collection found: pass folders, or put them into ${collections}`)
  return {
    folders,
    queries,
    quoted: values.quoted,
    knownItems,
    feedback: qrels !== undefined && data !== undefined ? { qrels, data } : undefined,
    models: { embed, rerank },
    hint: choice?.hint,
    vectors: values.vectors,
    rivals: rivalNames.filter(name => wanted.includes(name)),
    out: values.out,
  }
}

/** Returns the models of `--models local`, and how to add those that are missing. */
function localChoice({
  models,
  embed,
  'embed-model': model,
}: {
  models?: string | undefined
  embed?: string | undefined
  'embed-model'?: string | undefined
}): { address: LocalAddress; hint: string | undefined } | undefined {
  if (models === undefined) return undefined
  if (models !== 'local') throw new RangeError(`--models must be local, not "${models}"`)
  if (embed !== undefined || model !== undefined)
    throw new RangeError('--models cannot be given together with --embed or --embed-model')
  const { name, hint } = bestLocalModel()
  return { address: { local: name }, hint }
}

/** Returns the model in this process that `local:NAME` names. */
function localAddress(model: string | undefined): LocalAddress | undefined {
  return model?.startsWith('local:') ? { local: model.slice('local:'.length) } : undefined
}

function modelAddress(
  option: string,
  baseUrl: string | undefined,
  model: string | undefined,
): ModelAddress | undefined {
  if ((baseUrl === undefined) !== (model === undefined))
    throw new RangeError(`--${option} and --${option}-model must be given together`)
  if (baseUrl === undefined || model === undefined) return undefined
  if (!URL.canParse(baseUrl)) throw new RangeError(`--${option} must be the base URL of an endpoint, not "${baseUrl}"`)
  return { baseUrl, model }
}

function defaultFolders(): string[] {
  if (!existsSync(collections)) return []
  return readdirSync(collections)
    .sort()
    .map(name => join(collections, name))
    .filter(isCollection)
}
