import { AsofError, type ModelCall, optionsReader, type Reranker } from '@asof/core'
import type OpenAI from 'openai'
import { z } from 'zod'
import { connectModel, endpointFailure, endpointKinds, type ModelEndpoint } from './model-endpoint.ts'

/** An endpoint that answers `POST /rerank` as those of Cohere and Jina do. */
export interface RerankSettings extends ModelEndpoint {
  /** As the endpoint knows it. */
  model: string
}

const readSettings = optionsReader<RerankSettings>(
  { ...endpointKinds, model: 'string' },
  { required: ['baseUrl', 'model'] },
)

/** Far above what 25 numbers take, should an endpoint send the texts back. */
const MAX_ANSWER_BYTES = 1024 * 1024

const ranking = z.object({ results: z.array(z.object({ index: z.int().min(0), relevance_score: z.number() })) })

/** Asks an endpoint how relevant texts are; nothing is tried twice. */
export class RerankEndpoint implements Reranker {
  readonly model: string
  readonly #settings: RerankSettings
  #client: Promise<OpenAI> | undefined

  /** @throws ASOF_INVALID_OPTION - a setting that is unknown, not given or of another type. */
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
      const told = relevance.get(index)
      if (told === undefined)
        throw new AsofError('ASOF_MODEL_FAILED', 'its endpoint did not answer with the relevance of every text')
      return told
    })
  }
}
