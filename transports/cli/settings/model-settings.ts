import { z } from 'zod'
import type {
  LocalModelSettings,
  LocalRerankerSettings,
  OnnxModelSettings,
} from '../../../service/data-folder/index.ts'
import type { EmbeddingsSettings, LlmSettings, RerankSettings } from '../../../service/index.ts'
import { DEFAULT_RERANK_THREADS } from '../../../service/local-models/index.ts'
import { UsageError } from '../command-failure.ts'
import { firstGiven, type Given, namesOf, type OptionsOf, optionsOf, type Setting, settingTable } from './setting.ts'
import { integer, modelLanguages, nonEmptyText, webUrl } from './setting-types.ts'

const endpointUrl = webUrl.refine(value => new URL(value).username === '' && new URL(value).password === '', {
  error: 'must not contain credentials; set the API key with the setting that ends in _api_key',
})
const name = nonEmptyText.max(100)
const prefix = z.string().max(40)
const apiKey = { type: nonEmptyText, isSecret: true, text: 'the API key of that endpoint; never logged' } as const

/** The language model that answers prompts. */
export const llmSettings = settingTable('llm_', {
  baseUrl: {
    name: 'llm_url',
    type: endpointUrl,
    unset: 'the built-in reader answers',
    flag: '<url>',
    text: 'OpenAI-compatible endpoint that answers [prompts](http-api.md#prompts), such as http://127.0.0.1:11434/v1',
  },
  model: {
    type: nonEmptyText,
    flag: '<name>',
    text: 'model of that endpoint; its API key is read from `ASOF_LLM_API_KEY`',
  },
  apiKey,
  pageChars: {
    type: integer(1_000, 1_000_000),
    default: 60_000,
    text: 'maximum number of characters of a page that are sent to it',
  },
})

/** The model that computes embeddings of pages and queries. */
export const embeddingsSettings = settingTable('embed_', {
  baseUrl: {
    name: 'embed_url',
    type: endpointUrl,
    text: "base URL of an endpoint that supports OpenAI's embeddings (`POST /embeddings`)",
  },
  model: {
    type: name,
    text: 'the name of the model at the endpoint; or `local:` and the name of a [model in this process](models.md#a-model-in-the-process), such as `local:minilm` or `local:minilm+bge-small`; or [`onnx:`](models.md#much-faster-not-the-same-everywhere) and its name',
  },
  apiKey,
  dimensions: {
    type: integer(1, 8_192),
    unset: "the model's",
    text: 'number of dimensions to request from a model that can shorten its vectors; fewer are faster and need less space',
  },
  languages: {
    type: modelLanguages,
    unset: 'those of a known model, or that `asof model add` recorded; else all',
    text: 'the [languages of the model](models.md#languages), such as `en` or `en,de`, or `all`',
  },
  queryPrefix: { type: prefix, text: 'text before queries, as some models need (`query: `); at most 40 characters' },
  passagePrefix: { type: prefix, text: 'text before passages (`passage: `); at most 40 characters' },
})

/** Where the models that run in this process are, and on how many threads. */
export const localModelSettings = settingTable('embed_', {
  folder: {
    name: 'models',
    type: nonEmptyText,
    flag: '<dir>',
    unset: '`.asof/models` in the home folder',
    text: 'the folder that has the models of `asof model add`',
  },
  threads: { type: integer(1, 64), default: 1, text: 'number of threads of a model in this process' },
})

/** The model that re-ranks the first results. */
export const rerankSettings = settingTable('rerank_', {
  baseUrl: {
    name: 'rerank_url',
    type: endpointUrl,
    text: 'base URL of an endpoint that [re-ranks](models.md#reranking) the first results of `pro`',
  },
  model: {
    type: name,
    text: 'the name of the model at the endpoint; or `local:` and the name of a [model in this process](models.md#a-reranking-model-in-the-process)',
  },
  apiKey,
})

/** On how many threads a reranking model in this process runs. */
export const localRerankerSettings = settingTable('rerank_', {
  threads: {
    type: integer(1, 64),
    default: DEFAULT_RERANK_THREADS,
    text: 'number of threads of a reranking model in this process',
  },
})

const embeddingsKind = {
  name: 'an embeddings model',
  otherwise: ', or name a model in this process, such as local:minilm',
}
const rerankingKind = { name: 'a reranking model', otherwise: ', or name a model in this process: local:NAME' }

interface EndpointTable {
  readonly [option: string]: Setting
  readonly baseUrl: Setting
  readonly model: Setting
}

/**
 * Returns the settings of a model, or `undefined` if none is given.
 *
 * @param kind - the model, in error messages, and what else could be meant if its address is missing.
 * @throws UsageError - a model without its address, or an address without its model.
 */
function modelOf<Table extends EndpointTable>(
  table: Table,
  kind: { name: string; otherwise?: string },
  given: Given,
): OptionsOf<Table> | undefined {
  const { baseUrl, model } = table
  const hasUrl = given[baseUrl.name] !== undefined
  if (!hasUrl && firstGiven(table, given) !== undefined)
    throw new UsageError(
      `${kind.name} is configured without its address: set ${namesOf(baseUrl)} too${kind.otherwise ?? ''}`,
    )
  if (!hasUrl) return undefined
  if (given[model.name] === undefined)
    throw new UsageError(`${baseUrl.name} is set without a model: set ${namesOf(model)} too`)
  return optionsOf(table, given)
}

/**
 * Returns the name of the model in this process that a setting names, or `undefined`.
 *
 * @param runtime - what runs the model; it stands before the name.
 * @param ofEndpoints - settings that only models at endpoints have.
 * @throws UsageError - one of these is given.
 */
function nameAfter(
  runtime: 'local:' | 'onnx:',
  model: Setting,
  ofEndpoints: Readonly<Record<string, Setting>>,
  given: Given,
): string | undefined {
  const value = String(given[model.name])
  if (!value.startsWith(runtime)) return undefined
  const unused = Object.values(ofEndpoints).find(setting => given[setting.name] !== undefined)
  if (unused)
    throw new UsageError(`${namesOf(model)} names a model in this process, for which ${namesOf(unused)} has no effect`)
  return value.slice(runtime.length)
}

/** Returns the embeddings model in this process that is configured, or `undefined`. @throws UsageError - settings of an endpoint. */
function localModelOf(given: Given): LocalModelSettings | OnnxModelSettings | undefined {
  const { model, languages, ...ofEndpoints } = embeddingsSettings
  const options = { ...optionsOf(localModelSettings, given), ...optionsOf({ languages }, given) }
  const local = nameAfter('local:', model, ofEndpoints, given)
  if (local !== undefined) return { local, ...options }
  const onnx = nameAfter('onnx:', model, ofEndpoints, given)
  return onnx === undefined ? undefined : { onnx, ...options }
}

/** Returns the reranking model in this process that is configured, or `undefined`. @throws UsageError - settings of an endpoint. */
function localRerankerOf(given: Given): LocalRerankerSettings | undefined {
  const { model, ...ofEndpoints } = rerankSettings
  const local = nameAfter('local:', model, ofEndpoints, given)
  const { folder } = localModelSettings
  return local === undefined
    ? undefined
    : { local, ...optionsOf({ folder }, given), ...optionsOf(localRerankerSettings, given) }
}

/**
 * Returns the models that are configured.
 *
 * @throws UsageError - a model without its address, or an address without its model.
 */
export function modelsOf(given: Given) {
  return {
    llm: modelOf(llmSettings, { name: 'a language model' }, given) as LlmSettings | undefined,
    embeddings:
      localModelOf(given) ?? (modelOf(embeddingsSettings, embeddingsKind, given) as EmbeddingsSettings | undefined),
    reranking: localRerankerOf(given) ?? (modelOf(rerankSettings, rerankingKind, given) as RerankSettings | undefined),
  }
}
