import type { ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { RerankEndpoint } from '../../../service/index.ts'
import { type ModelEndpoint, sendJson, startModelEndpoint } from '../model-endpoint.ts'

const { signal } = new AbortController()
let close: () => Promise<void>
afterEach(() => close())

async function answering(answer: (response: ServerResponse) => void): Promise<ModelEndpoint<unknown>> {
  const endpoint = await startModelEndpoint<unknown>((_, response) => answer(response))
  close = endpoint.close
  return endpoint
}

describe('a reranking endpoint', () => {
  it('gets requests in the format of Cohere and Jina, and its scores are sorted by the order of the texts', async () => {
    const results = [
      { index: 1, relevance_score: 0.9, document: { text: 'b' } },
      { index: 0, relevance_score: -2 },
    ]
    const { url, requests } = await answering(response => sendJson(response, 200, { id: 'r', results }))
    const model = new RerankEndpoint({ baseUrl: url, model: 'm', apiKey: 'secret' })
    expect(await model.rerank('q', ['a', 'b'], { signal })).toEqual([-2, 0.9])
    expect(requests).toEqual([
      {
        path: '/v1/rerank',
        authorization: 'Bearer secret',
        body: { model: 'm', query: 'q', documents: ['a', 'b'], top_n: 2 },
      },
    ])
  })

  it.each([
    ['an error', 500, { error: 'text of a page' }, 'answered 500'],
    ['something else', 200, { results: 'none' }, 'relevance of every text'],
    ['too few', 200, { results: [{ index: 0, relevance_score: 1 }] }, 'relevance of every text'],
  ])('that answers %s has failed, in words of our own', async (_, status, body, message) => {
    const { url } = await answering(response => sendJson(response, status, body))
    const failure = await new RerankEndpoint({ baseUrl: url, model: 'm' })
      .rerank('q', ['a', 'b'], { signal })
      .catch((error: Error) => error)
    expect(failure).toMatchObject({ code: 'ASOF_MODEL_FAILED', message: expect.stringContaining(message) as string })
    expect((failure as Error).message).not.toContain('text of a page')
  })
})
