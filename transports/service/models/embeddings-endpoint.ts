import { AsofError, type Embedder, type ModelCall, optionsReader, type TextKind } from '@asof/core'
import type OpenAI from 'openai'
import { z } from 'zod'
import { connectModel, endpointFailure, endpointKinds, type ModelEndpoint } from './model-endpoint.ts'

/** An endpoint that speaks OpenAI's embeddings. */
export interface EmbeddingsSettings extends ModelEndpoint {
  /** As the endpoint knows it. */
  model: string
  /** Dimensions asked for, of a model that can shorten its vectors. Default: the model's own. */
  dimensions?: number
  /** Put before a query, and before a passage, as some models want it. Default: nothing. */
  queryPrefix?: string
  passagePrefix?: string
}

const readSettings = optionsReader<EmbeddingsSettings>(
  { ...endpointKinds, model: 'string', dimensions: 'number', queryPrefix: 'string', passagePrefix: 'string' },
  { required: ['baseUrl', 'model'] },
)

/** Far above 16 vectors of 8,192 dimensions. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** What is read of an answer; endpoints add much besides. */
const embeddings = z.object({
  data: z.array(z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()) })),
})

/** Asks an endpoint for embeddings; nothing is tried twice. */
export class EmbeddingsEndpoint implements Embedder {
  readonly model: string
  readonly #settings: EmbeddingsSettings
  #client: Promise<OpenAI> | undefined

  /** @throws ASOF_INVALID_OPTION - a setting that is unknown, not given or of another type. */
  constructor(settings: EmbeddingsSettings) {
    this.#settings = readSettings(settings)
    const { model, dimensions, queryPrefix = '', passagePrefix = '' } = this.#settings
    // Whatever changes the vectors is part of their identity; the address is not, since a model may move.
    const prefixes = queryPrefix + passagePrefix === '' ? [] : [JSON.stringify([queryPrefix, passagePrefix])]
    this.model = [model, ...(dimensions === undefined ? [] : [`${dimensions}`]), ...prefixes].join('/')
  }

  async embed(texts: readonly string[], { kind, signal }: ModelCall & { kind: TextKind }): Promise<Float32Array[]> {
    const { model, dimensions, queryPrefix = '', passagePrefix = '' } = this.#settings
    const prefix = kind === 'query' ? queryPrefix : passagePrefix
    this.#client ??= connectModel(this.#settings, MAX_ANSWER_BYTES)
    const client = await this.#client
    let answer: unknown
    try {
      answer = await client.embeddings.create(
        {
          model,
          input: texts.map(text => prefix + text),
          // Not every endpoint knows the shorter form.
          encoding_format: 'float',
          ...(dimensions === undefined ? {} : { dimensions }),
        },
        { signal },
      )
    } catch (error) {
      throw failed(await endpointFailure(error), error)
    }
    const parsed = embeddings.safeParse(answer)
    if (!parsed.success) throw failed('its endpoint did not answer with embeddings')
    const vectors: Float32Array[] = []
    parsed.data.data.forEach(({ index, embedding }, place) => {
      vectors[index ?? place] = Float32Array.from(embedding)
    })
    if (vectors.length !== texts.length || vectors.includes(undefined as never))
      throw failed(`its endpoint did not answer ${texts.length} texts with as many embeddings`)
    return vectors
  }
}

function failed(what: string | undefined, cause?: unknown): unknown {
  return what === undefined ? cause : new AsofError('ASOF_MODEL_FAILED', what, { cause })
}
