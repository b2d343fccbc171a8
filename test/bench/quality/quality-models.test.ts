import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { JudgedCollection } from '../../../bench/quality/judged-collection.ts'
import { askWithModels, qualityModels } from '../../../bench/quality/quality-models.ts'
import { readQualityOptions } from '../../../bench/quality/quality-options.ts'
import { asofRankings } from '../../../bench/quality/quality-systems.ts'
import { VectorCache } from '../../../bench/quality/vector-cache.ts'
import type { Engine } from '../../../core/index.ts'
import { type EmbeddingEndpoint, startEmbeddingEndpoint } from '../../service/embedding-endpoint.ts'
import { type ModelEndpoint, sendJson, startModelEndpoint } from '../../service/model-endpoint.ts'

interface RerankBody {
  documents: string[]
}

let cache: VectorCache
let embeddings: EmbeddingEndpoint
/** Ranks longer texts first. */
let reranker: ModelEndpoint<RerankBody>
beforeEach(async () => {
  cache = await VectorCache.open()
  embeddings = await startEmbeddingEndpoint()
  reranker = await startModelEndpoint<RerankBody>(({ body }, response) =>
    sendJson(response, 200, {
      results: body.documents.map((text, index) => ({ index, relevance_score: text.length })),
    }),
  )
})
afterEach(() => Promise.all([cache.close(), embeddings.close(), reranker.close()]))

const texts = [
  'a red automobile',
  'the river ferry',
  'a ferry over the wide river, at noon and in the evening',
  'bread',
]

const collection: JudgedCollection = {
  name: 'small',
  pages: texts.map((text, number) => ({
    number,
    url: `https://pages.example/${number}`,
    title: '',
    text,
    acquiredAt: number,
  })),
  ids: texts.map((_, number) => String(number)),
  queries: ['car', 'ferry river'].map(text => ({ id: text, text, grades: new Map() })),
}

describe('pro with models', () => {
  it('is a separate system and leaves the others unchanged', async () => {
    const models = qualityModels({ embed: { baseUrl: embeddings.url, model: 'concepts' } }, cache)
    const [alone, besides] = [await asofRankings(collection), await asofRankings(collection, { models })]
    const withVectors = besides.get('pro with vectors')
    besides.delete('pro with vectors')
    expect(besides).toEqual(alone)
    expect(alone.get('pro')?.[0]).toEqual([])
    expect(withVectors?.[0]?.[0]).toBe(0)
  })

  it('re-ranks with a model, with or without vectors', async () => {
    const rerank = { baseUrl: reranker.url, model: 'longest' }
    const ranked = await asofRankings(collection, { models: qualityModels({ rerank }, cache) })
    expect(ranked.get('pro')?.[1]).toEqual([1, 2])
    expect(ranked.get('pro with reranking')?.[1]).toEqual([2, 1])
    expect(qualityModels({ embed: rerank, rerank }, cache)?.system).toBe('pro with vectors and reranking')
  })

  it('sends the API key of the environment', async () => {
    const embed = { baseUrl: embeddings.url, model: 'concepts' }
    const models = qualityModels({ embed }, cache, { ASOF_EMBED_API_KEY: 'secret' })
    await models?.embed?.embed(['text'], { kind: 'query', signal: AbortSignal.timeout(10_000) })
    expect(embeddings.requests).toMatchObject([{ authorization: 'Bearer secret', body: { model: 'concepts' } }])
  })

  it('retries a model that fails, then ends the run', async () => {
    let answers = 0
    const engine = {
      search: async () =>
        answers++ < 2 ? { results: [], warning: 'answered without vectors: it is down' } : { results: [] },
    } as unknown as Engine
    await expect(askWithModels(engine, 'car', {}, [0])).rejects.toThrow('at the query "car": answered without vectors')
    expect(await askWithModels(engine, 'car', {}, [])).toEqual([])
  })
})

describe('readQualityOptions', () => {
  it('reads the endpoint and the name of a model', () => {
    const args = ['--known-items', '--embed', 'http://127.0.0.1:1/v1', '--embed-model', 'm']
    expect(readQualityOptions(args)?.models).toEqual({ embed: { baseUrl: 'http://127.0.0.1:1/v1', model: 'm' } })
    expect(readQualityOptions(['--known-items'])?.models).toEqual({})
  })

  it.each([
    [['--embed', 'http://127.0.0.1:1/v1'], '--embed and --embed-model must be given together'],
    [['--rerank-model', 'm'], '--rerank and --rerank-model must be given together'],
    [['--embed', 'nowhere', '--embed-model', 'm'], '--embed must be the base URL'],
  ])('rejects an incomplete or invalid model: %j', (args, message) => {
    expect(() => readQualityOptions(['--known-items', ...args])).toThrow(message)
  })
})
