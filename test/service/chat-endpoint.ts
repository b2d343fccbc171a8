import type { ServerResponse } from 'node:http'
import { type ModelEndpoint, type ModelRequest, sendJson, startModelEndpoint } from './model-endpoint.ts'

interface ChatBody {
  model: string
  stream?: boolean
  max_tokens?: number
  max_completion_tokens?: number
  messages: { role: string; content: string }[]
}

/** The body of a request to a chat-completions endpoint. */
export type ChatRequest = ModelRequest<ChatBody>
export type ChatEndpoint = ModelEndpoint<ChatBody>

/** Starts a loopback server that is compatible with OpenAI's chat completions. */
export function startChatEndpoint(
  answer: (request: ChatRequest, response: ServerResponse) => void,
): Promise<ChatEndpoint> {
  return startModelEndpoint(answer)
}

/** Answers with one message, like a working endpoint. */
export function say(response: ServerResponse, content: unknown): void {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }]
  sendJson(response, 200, { id: 'c1', object: 'chat.completion', created: 1, model: 'test', choices })
}
