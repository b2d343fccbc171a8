import { AsofError, type ModelCall, type Reranker } from '@asof/core'
import { optionsReader } from '@asof/extract/errors'
import type OpenAI from 'openai'
import { z } from 'zod'
import { connectModel, endpointFailure } from './model-client.ts'
import { endpointKinds, type ModelEndpoint } from './model-endpoint.ts'

/** An endpoint that is compatible with `POST /rerank` of Cohere and Jina. */
export interface RerankSettings extends ModelEndpoint {
  /** The name of the model at the endpoint. */
  model: string
}

const readSettings = optionsReader<RerankSettings>(
  { ...endpointKinds, model: 'string' },
  { required: ['baseUrl', 'model'] },
)

/** Maximum size of an answer, far more than 25 scores and their texts take. */
const MAX_ANSWER_BYTES = 1024 * 1024

const ranking = z.object({ results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })) })

/**
 * Gets the relevance of texts from an endpoint, for the option `rerank` of `open`. Does not retry failed requests: `rerank` throws
 * ASOF_MODEL_FAILED if the endpoint fails or answers with something else, and ASOF_PACKAGE_MISSING if `openai` is not installed.
 */
export class RerankEndpoint implements Reranker {
  readonly model: string
  readonly #settings: RerankSettings
  #client: Promise<OpenAI> | undefined

  /** @throws ASOF_INVALID_OPTION - a setting is unknown, missing or of another type. */
  constructor(settings: RerankSettings) {
    this.#settings = readSettings(settings)
    this.model = this.#settings.model
  }

  async rerank(query: string, texts: readonly string[], { signal }: ModelCall): Promise<number[]> {
    this.#client ??= connectModel(this.#settings, MAX_ANSWER_BYTES)
    const client = await this.#client
    const body = { model: this.model, query, documents: texts, top_n: texts.length }
    let answer: unknown
    try {
      answer = await client.post('/rerank', { body, signal })
    } catch (error) {
      const what = await endpointFailure(error)
      throw what === undefined ? error : new AsofError('ASOF_MODEL_FAILED', what, { cause: error })
    }
    const parsed = ranking.safeParse(answer)
    const relevance = new Map(parsed.data?.results.map(({ index, relevance_score }) => [index, relevance_score]))
    return texts.map((_, index) => {
      const score = relevance.get(index)
      if (score === undefined)
        throw new AsofError('ASOF_MODEL_FAILED', 'its endpoint did not answer with the relevance of every text')
      return score
    })
  }
}
