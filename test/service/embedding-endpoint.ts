import type { ServerResponse } from 'node:http'
import { conceptVector } from '../core/models/concept-embedder.ts'
import { type ModelEndpoint, type ModelRequest, sendJson, startModelEndpoint } from './model-endpoint.ts'

interface EmbeddingBody {
  model: string
  input: string[]
  dimensions?: number
  encoding_format?: string
}

/** The body of a request to an embeddings endpoint. */
export type EmbeddingRequest = ModelRequest<EmbeddingBody>
export type EmbeddingEndpoint = ModelEndpoint<EmbeddingBody>

/** Answers with one vector for each text, in reverse order, which the API allows because each vector has an index. */
export function embed(request: EmbeddingRequest, response: ServerResponse): void {
  const data = request.body.input.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: [...conceptVector(text, request.body.dimensions)],
  }))
  sendJson(response, 200, { object: 'list', model: request.body.model, data: data.toReversed() })
}

/** Starts a loopback server that is compatible with OpenAI's embeddings. */
export function startEmbeddingEndpoint(
  answer: (request: EmbeddingRequest, response: ServerResponse) => void = embed,
): Promise<EmbeddingEndpoint> {
  return startModelEndpoint(answer)
}
