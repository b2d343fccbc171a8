import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { conceptVector } from '../../core/meaning/concept-embedder.ts'
import { sendJson } from './chat-endpoint.ts'

/** What an embeddings endpoint was asked. */
export interface EmbeddingRequest {
  path: string
  authorization: string | undefined
  body: { model: string; input: string[]; dimensions?: number; encoding_format?: string }
}

export interface EmbeddingEndpoint {
  /** The base URL, as `ASOF_EMBED_URL` takes it. */
  url: string
  requests: EmbeddingRequest[]
  close(): Promise<void>
}

/** Answers with one vector a text, in reverse order, as an endpoint may that names their places. */
export function embed(request: EmbeddingRequest, response: ServerResponse): void {
  const data = request.body.input.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: [...conceptVector(text, request.body.dimensions)],
  }))
  sendJson(response, 200, { object: 'list', model: request.body.model, data: data.toReversed() })
}

/** A server on loopback that speaks OpenAI's embeddings. */
export async function startEmbeddingEndpoint(
  answer: (request: EmbeddingRequest, response: ServerResponse) => void = embed,
): Promise<EmbeddingEndpoint> {
  const requests: EmbeddingRequest[] = []
  const server = createServer(async (incoming: IncomingMessage, response) => {
    const body = (await json(incoming)) as EmbeddingRequest['body']
    const request = { path: incoming.url!, authorization: incoming.headers.authorization, body }
    requests.push(request)
    answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
