import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  inputRequired,
  McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const text = (text: string) => ({ type: 'text', text }) as const
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' } as const
const audio = { type: 'audio', data: SILENCE, mimeType: 'audio/wav' } as const
const resource = (mimeType: string, content: string) =>
  ({ type: 'resource', resource: { uri: 'test://embedded', mimeType, text: content } }) as const

type Act = (
  context: ServerContext,
) => CallToolResult | InputRequiredResult | Promise<CallToolResult | InputRequiredResult>

/** The tools that the suite requires. They exercise the transport with streams, failures and requests to the client. */
const tools: Record<string, Act> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [audio] }),
  test_embedded_resource: () => ({ content: [resource('text/plain', 'This is an embedded resource content.')] }),
  test_multiple_content_types: () => ({
    content: [text('Multiple content types test:'), image, resource('application/json', '{"test":"data","value":123}')],
  }),
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing')
  },
  test_tool_with_logging: async ({ mcpReq }) => {
    for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', said)
      // The suite requires time between the messages.
      await sleep(50)
    }
    return { content: [text('Three messages were sent.')] }
  },
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'One message.')
    return { content: [text('Told, where it was asked for.')] }
  },
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: progressToken!, progress, total: 100 },
      })
      await sleep(50)
    }
    return { content: [text('Done.')] }
  },
  // No client of the suite supports sampling; the SDK detects that before it sends the request.
  test_missing_capability: () =>
    inputRequired({
      inputRequests: {
        said: inputRequired.createMessage({
          messages: [{ role: 'user', content: { type: 'text', text: 'Say something.' } }],
          maxTokens: 10,
        }),
      },
    }),
  test_streaming_elicitation: () =>
    inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: 'Your name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        }),
      },
    }),
}

/** Creates a server of the suite's tools, as `createToolServer` does for asof's tools. */
export function conformanceServer(): McpServer {
  const server = new McpServer(
    { name: 'conformance', version: '1.0.0' },
    { capabilities: { tools: { listChanged: false }, logging: {} } },
  )
  const nothing = fromJsonSchema({ type: 'object', properties: {} })
  for (const [name, act] of Object.entries(tools)) {
    server.registerTool(name, { description: `${name} of the suite`, inputSchema: nothing }, (_, context) =>
      act(context),
    )
  }
  const region = { type: 'string', 'x-mcp-header': 'Region' } as const
  const inputSchema = fromJsonSchema({ type: 'object', properties: { region }, required: ['region'] })
  server.registerTool('test_custom_header', { description: 'Takes a parameter in a header too', inputSchema }, () => ({
    content: [text('Header and body agree.')],
  }))
  return server
}
