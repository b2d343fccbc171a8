import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

/** What a chat-completions endpoint was asked. */
export interface ChatRequest {
  path: string
  authorization: string | undefined
  body: {
    model: string
    stream?: boolean
    max_tokens?: number
    max_completion_tokens?: number
    messages: { role: string; content: string }[]
  }
}

export interface ChatEndpoint {
  /** The base URL, as `ASOF_LLM_URL` takes it. */
  url: string
  requests: ChatRequest[]
  close(): Promise<void>
}

type Answer = (request: ChatRequest, response: ServerResponse) => void

/** A server on loopback that speaks OpenAI's chat completions. */
export async function startChatEndpoint(answer: Answer): Promise<ChatEndpoint> {
  const requests: ChatRequest[] = []
  const server = createServer(async (incoming: IncomingMessage, response) => {
    const body = (await json(incoming)) as ChatRequest['body']
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

/** Answers with one message, as an endpoint does that works. */
export function say(response: ServerResponse, content: unknown): void {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }]
  sendJson(response, 200, { id: 'c1', object: 'chat.completion', created: 1, model: 'test', choices })
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
