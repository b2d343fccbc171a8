import type { ServerResponse } from 'node:http'
import { conceptVector } from '../../core/models/concept-embedder.ts'
import { type ModelEndpoint, type ModelRequest, sendJson, startModelEndpoint } from './model-endpoint.ts'

interface EmbeddingBody {
  model: string
  input: string[]
  dimensions?: number
  encoding_format?: string
}

/** What an embeddings endpoint was asked. */
export type EmbeddingRequest = ModelRequest<EmbeddingBody>
export type EmbeddingEndpoint = ModelEndpoint<EmbeddingBody>

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
export function startEmbeddingEndpoint(
  answer: (request: EmbeddingRequest, response: ServerResponse) => void = embed,
): Promise<EmbeddingEndpoint> {
  return startModelEndpoint(answer)
}
