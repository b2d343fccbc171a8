import { json, reference } from './json-schema.ts'
import type { Operation, Paths } from './operation.ts'
import { always, failures, type OwnFailure, rateLimitHeaders, requestIdHeader } from './responses.ts'

/** A message of the protocol (JSON-RPC 2.0). */
export const mcpMessage = { type: 'object', properties: { jsonrpc: { const: '2.0' } }, required: ['jsonrpc'] }

const limited = { ...requestIdHeader, ...rateLimitHeaders }

const refusals: readonly OwnFailure[] = [
  { status: 400, error: 'jsonrpc', schema: 'McpMessage' },
  { status: 406, error: 'jsonrpc', schema: 'McpMessage' },
]

function described(responses: Operation['responses']): Operation['responses'] {
  const texts: Readonly<Record<string, string>> = {
    '400': '`invalid_request`, or an error of the protocol as a message.',
    '406': 'The caller does not accept both kinds of answers; an error of the protocol as a message.',
  }
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      { ...response, description: texts[status] ?? response.description },
    ]),
  )
}

/** The tools for agents: E8. The messages themselves are described by the Model Context Protocol. */
export function mcpPaths(security: readonly object[]): Paths {
  return {
    '/mcp': {
      post: {
        operationId: 'mcp',
        summary: 'Call the tools of agents over the Model Context Protocol (Streamable HTTP)',
        description:
          'Takes JSON-RPC messages. The list of tools is free; a call of a tool is charged as the same call over HTTP.',
        // The empty requirement stands for a caller without a credential.
        security: [{}, ...security],
        requestBody: {
          required: true,
          content: json({
            anyOf: [reference('McpMessage'), { type: 'array', items: reference('McpMessage'), maxItems: 50 }],
          }),
        },
        responses: {
          '200': {
            description: 'The answer to a request: a message, or a stream with one.',
            headers: limited,
            content: { ...json('McpMessage'), 'text/event-stream': { schema: { type: 'string' } } },
          },
          '202': { description: 'The messages need no answer.', headers: limited },
          ...described(failures([...always, 'unauthorized', 'forbidden', 'payload_too_large'], refusals)),
        },
      },
    },
  }
}
