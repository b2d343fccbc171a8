import { json } from './json-schema.ts'
import type { Paths } from './operation.ts'
import { failures, rateLimitHeaders, requestIdHeader } from './responses.ts'

const message = { type: 'object', properties: { jsonrpc: { const: '2.0' } }, required: ['jsonrpc'] }

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
          content: json({ anyOf: [message, { type: 'array', items: message, maxItems: 50 }] }),
        },
        responses: {
          '200': {
            description: 'The answer to a request: a message, or a stream with one.',
            headers: { ...requestIdHeader, ...rateLimitHeaders },
            content: { ...json(message), 'text/event-stream': { schema: { type: 'string' } } },
          },
          '202': { description: 'The messages need no answer.', headers: { ...requestIdHeader, ...rateLimitHeaders } },
          ...failures(['invalid_request', 'unauthorized', 'forbidden', 'rate_limited', 'internal_error']),
        },
      },
    },
  }
}
