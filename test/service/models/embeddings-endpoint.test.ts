import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { EmbeddingsEndpoint } from '../../../service/index.ts'
import { conceptVector } from '../../core/models/concept-embedder.ts'
import { type EmbeddingEndpoint, type EmbeddingRequest, startEmbeddingEndpoint } from '../embedding-endpoint.ts'
import { sendJson } from '../model-endpoint.ts'

let endpoint: EmbeddingEndpoint
afterEach(() => endpoint.close())

const { signal } = new AbortController()

async function answering(
  answer: (request: EmbeddingRequest, response: ServerResponse) => void,
): Promise<EmbeddingsEndpoint> {
  endpoint = await startEmbeddingEndpoint(answer)
  return new EmbeddingsEndpoint({ baseUrl: endpoint.url, model: 'm' })
}

describe('an embeddings endpoint', () => {
  it('gets requests in the format of OpenAI, and its vectors are sorted by the order of the texts', async () => {
    endpoint = await startEmbeddingEndpoint()
    const model = new EmbeddingsEndpoint({ baseUrl: endpoint.url, model: 'm', apiKey: 'secret', dimensions: 8 })
    const vectors = await model.embed(['a car', 'a dog'], { kind: 'passage', signal })
    expect(vectors).toEqual([conceptVector('a car', 8), conceptVector('a dog', 8)])
    expect(endpoint.requests[0]).toMatchObject({ path: '/v1/embeddings', authorization: 'Bearer secret' })
    const body = { model: 'm', input: ['a car', 'a dog'], dimensions: 8, encoding_format: 'float' }
    expect(endpoint.requests[0]?.body).toEqual(body)
  })

  it('gets no key without one, and the prefix of each kind of text', async () => {
    endpoint = await startEmbeddingEndpoint()
    const prefixes = { queryPrefix: 'query: ', passagePrefix: 'passage: ' }
    const model = new EmbeddingsEndpoint({ baseUrl: endpoint.url, model: 'm', ...prefixes })
    await model.embed(['car'], { kind: 'query', signal })
    await model.embed(['car'], { kind: 'passage', signal })
    expect(endpoint.requests.map(({ body, authorization }) => [body.input, authorization])).toEqual([
      [['query: car'], undefined],
      [['passage: car'], undefined],
    ])
  })

  it('has another model name with other dimensions or prefixes, and the same at another address', async () => {
    endpoint = await startEmbeddingEndpoint()
    const base = { baseUrl: endpoint.url, model: 'm' }
    const identities = [
      base,
      { ...base, dimensions: 8 },
      { ...base, queryPrefix: 'q' },
      { ...base, passagePrefix: 'q' },
    ].map(settings => new EmbeddingsEndpoint(settings).model)
    expect(new Set(identities).size).toBe(4)
    expect(new EmbeddingsEndpoint({ ...base, baseUrl: 'http://127.0.0.1:1/v1' }).model).toBe(identities[0])
  })

  it.each([
    ['all-minilm', ['en']],
    ['sentence-transformers/all-MiniLM-L6-v2', ['en']],
    ['nomic-embed-text:latest', ['en']],
    ['nomic-embed-text-v2-moe', undefined],
    ['BAAI/bge-small-en-v1.5', ['en']],
    ['bge-m3', undefined],
    ['jina-embeddings-v2-base-de', ['de', 'en']],
    ['intfloat/multilingual-e5-small', undefined],
    ['text-embedding-3-small', undefined],
  ])('knows the languages of %s: %j', async (model, languages) => {
    endpoint = await startEmbeddingEndpoint()
    const base = { baseUrl: endpoint.url, model }
    expect(new EmbeddingsEndpoint(base).languages).toEqual(languages)
    expect(new EmbeddingsEndpoint({ ...base, languages: ['fr'] }).languages).toEqual(['fr'])
    expect(new EmbeddingsEndpoint({ ...base, languages: true }).languages).toBeUndefined()
  })

  it.each([
    ['an error', (response: ServerResponse) => sendJson(response, 503, { error: 'text of a page' }), 'answered 503'],
    ['something else', (response: ServerResponse) => sendJson(response, 200, { data: 'none' }), 'with embeddings'],
    ['too few', (response: ServerResponse) => sendJson(response, 200, { data: [{ embedding: [1] }] }), '2 texts'],
    ['no JSON', (response: ServerResponse) => response.writeHead(200).end('<html>'), 'endpoint did not answer'],
  ])('that answers %s has failed, in words of our own', async (_, answer, message) => {
    const model = await answering((_request, response) => answer(response))
    const failure = await model.embed(['a', 'b'], { kind: 'passage', signal }).catch((error: Error) => error)
    expect(failure).toMatchObject({ code: 'ASOF_MODEL_FAILED', message: expect.stringContaining(message) as string })
    expect((failure as Error).message).not.toContain('text of a page')
  })

  it('that does not exist is ASOF_MODEL_FAILED', async () => {
    const model = await answering(() => {})
    await endpoint.close()
    await expect(model.embed(['a'], { kind: 'passage', signal })).rejects.toMatchObject({
      code: 'ASOF_MODEL_FAILED',
      message: expect.stringContaining("can't be reached") as string,
    })
  })
})
