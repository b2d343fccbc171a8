import { AsofError, type Embedder, type ModelCall, type TextKind } from '@asof/core'
import { optionsReader } from '@asof/extract/errors'
import type OpenAI from 'openai'
import { z } from 'zod'
import { knownLanguages } from './known-languages.ts'
import { connectModel, endpointFailure } from './model-client.ts'
import { endpointKinds, type ModelEndpoint } from './model-endpoint.ts'

/** An endpoint that is compatible with OpenAI's embeddings API. */
export interface EmbeddingsSettings extends ModelEndpoint {
  /** The name of the model at the endpoint. */
  model: string
  /** Number of dimensions to request from a model that can shorten its vectors. Default: that of the model. */
  dimensions?: number
  /**
   * The languages of the model, as BCP 47 tags; true for all. Default: those of a known model (see docs/models.md), all
   * for any other.
   */
  languages?: true | readonly string[]
  /** Text to put before each query, for models that need it. Default: none. */
  queryPrefix?: string
  /** Text to put before each passage, for models that need it. Default: none. */
  passagePrefix?: string
}

const readSettings = optionsReader<EmbeddingsSettings>(
  {
    ...endpointKinds,
    model: 'string',
    dimensions: 'number',
    languages: 'true or list',
    queryPrefix: 'string',
    passagePrefix: 'string',
  },
  { required: ['baseUrl', 'model'] },
)

/** Maximum size of an answer, far more than 16 vectors of 8,192 dimensions take. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** The parts of an answer that are used. Endpoints send others too. */
const embeddings = z.object({
  data: z.array(z.object({ index: z.int().min(0).optional(), embedding: z.array(z.number()) })),
})

/**
 * Gets vectors from an endpoint, for the option `embed` of `open`. Does not retry failed requests: `embed` throws ASOF_MODEL_FAILED if the
 * endpoint fails or answers with something else, and ASOF_PACKAGE_MISSING if `openai` is not installed.
 */
export class EmbeddingsEndpoint implements Embedder {
  /** Identifies the vectors of the model in the index: its name, with the dimensions and prefixes that were set. */
  readonly model: string
  /** The languages of the model, as BCP 47 tags. Undefined for all. */
  readonly languages?: readonly string[]
  readonly #settings: EmbeddingsSettings
  #client: Promise<OpenAI> | undefined

  /** @throws ASOF_INVALID_OPTION - a setting is unknown, missing or of another type. */
  constructor(settings: EmbeddingsSettings) {
    this.#settings = readSettings(settings)
    const {
      model,
      dimensions,
      languages = knownLanguages(model),
      queryPrefix = '',
      passagePrefix = '',
    } = this.#settings
    if (languages !== undefined && languages !== true) this.languages = languages
    // The name includes everything that changes vectors, because it identifies them in the index. The address does not
    // change them.
    const prefixes = queryPrefix + passagePrefix === '' ? [] : [JSON.stringify([queryPrefix, passagePrefix])]
    this.model = [dimensions === undefined ? model : `${model}/${dimensions}`, ...prefixes].join('/')
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
          // Not all endpoints support base64.
          encoding_format: 'float',
          dimensions,
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
      throw failed(`its endpoint did not answer with ${texts.length} embeddings for ${texts.length} texts`)
    return vectors
  }
}

/**
 * Returns the error for a failed request.
 *
 * @param what - how the endpoint failed. If undefined, the endpoint did not fail, and `cause` is returned.
 */
function failed(what: string | undefined, cause?: unknown): unknown {
  return what === undefined ? cause : new AsofError('ASOF_MODEL_FAILED', what, { cause })
}
