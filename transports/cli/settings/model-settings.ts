import { z } from 'zod'
import type { EmbeddingsSettings, LlmSettings, RerankSettings } from '../../../service/index.ts'
import { UsageError } from '../usage-error.ts'
import { readInteger, readList } from './setting-values.ts'

const endpointUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine(value => new URL(value).username === '' && new URL(value).password === '', {
    error: 'must not contain credentials; set the API key with the setting that ends in _api_key',
  })

const languageCodes = z
  .array(z.string().regex(/^[a-z]{2,3}$/, { error: 'must be a language code such as en' }))
  .min(1)
  .max(200)

function readLanguages(value: unknown): unknown {
  return value === 'all' ? true : readList(value)
}

/** The settings of models that are called over the network, by their names in `asof.json`. */
export const modelFields = {
  llm_url: endpointUrl.optional(),
  llm_model: z.string().min(1).optional(),
  llm_api_key: z.string().min(1).optional(),
  llm_page_chars: z.preprocess(readInteger, z.int().min(1_000).max(1_000_000)).optional(),
  embed_url: endpointUrl.optional(),
  embed_model: z.string().min(1).max(100).optional(),
  embed_api_key: z.string().min(1).optional(),
  embed_dimensions: z.preprocess(readInteger, z.int().min(1).max(8_192)).optional(),
  embed_languages: z.preprocess(readLanguages, z.union([z.literal(true), languageCodes])).optional(),
  embed_query_prefix: z.string().max(40).optional(),
  embed_passage_prefix: z.string().max(40).optional(),
  rerank_url: endpointUrl.optional(),
  rerank_model: z.string().min(1).max(100).optional(),
  rerank_api_key: z.string().min(1).optional(),
}

type Given = z.output<z.ZodObject<typeof modelFields>>

export function llmOf(given: Given): LlmSettings | undefined {
  const { llm_url: baseUrl, llm_model: model, llm_api_key: apiKey, llm_page_chars: pageChars } = given
  if (baseUrl === undefined) {
    if (model === undefined && apiKey === undefined && pageChars === undefined) return undefined
    throw new UsageError('a language model is configured without its address: set llm_url (ASOF_LLM_URL) too')
  }
  if (model === undefined) throw new UsageError('llm_url is set without a model: set llm_model (ASOF_LLM_MODEL) too')
  return {
    baseUrl,
    model,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(pageChars === undefined ? {} : { pageChars }),
  }
}

export function embeddingsOf(given: Given): EmbeddingsSettings | undefined {
  const { embed_url: baseUrl, embed_model: model, ...rest } = given
  const { embed_api_key: apiKey, embed_dimensions: dimensions } = rest
  const { embed_languages: languages } = rest
  const { embed_query_prefix: queryPrefix, embed_passage_prefix: passagePrefix } = rest
  if (baseUrl === undefined) {
    const others = [model, apiKey, dimensions, languages, queryPrefix, passagePrefix]
    if (others.every(value => value === undefined)) return undefined
    throw new UsageError('an embeddings model is configured without its address: set embed_url (ASOF_EMBED_URL) too')
  }
  if (model === undefined)
    throw new UsageError('embed_url is set without a model: set embed_model (ASOF_EMBED_MODEL) too')
  return {
    baseUrl,
    model,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(dimensions === undefined ? {} : { dimensions }),
    ...(languages === undefined ? {} : { languages }),
    ...(queryPrefix === undefined ? {} : { queryPrefix }),
    ...(passagePrefix === undefined ? {} : { passagePrefix }),
  }
}

export function rerankingOf(given: Given): RerankSettings | undefined {
  const { rerank_url: baseUrl, rerank_model: model, rerank_api_key: apiKey } = given
  if (baseUrl === undefined) {
    if (model === undefined && apiKey === undefined) return undefined
    throw new UsageError('a reranking model is configured without its address: set rerank_url (ASOF_RERANK_URL) too')
  }
  if (model === undefined)
    throw new UsageError('rerank_url is set without a model: set rerank_model (ASOF_RERANK_MODEL) too')
  return { baseUrl, model, ...(apiKey === undefined ? {} : { apiKey }) }
}
