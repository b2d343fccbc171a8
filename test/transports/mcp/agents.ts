import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FirstStdioTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as FirstHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

export interface ToolResult {
  text: string
  structured: Record<string, unknown> | undefined
  isError: boolean
  meta: Record<string, unknown>
}

export interface AdvertisedTool {
  name: string
  inputSchema: object
  outputSchema?: object | undefined
  annotations?: object | undefined
}

/** An official client of either generation. */
export interface Agent {
  /** The negotiated protocol revision. */
  revision: string | undefined
  tools(): Promise<AdvertisedTool[]>
  call(name: string, args: Record<string, unknown>, meta?: Record<string, unknown>): Promise<ToolResult>
  close(): Promise<void>
}

/** The server of an agent: a URL or a command. */
export type Reach =
  | { url: string; headers?: Record<string, string> }
  | { command: string; args: string[]; env?: Record<string, string> }

interface RawResult {
  content?: unknown
  structuredContent?: unknown
  isError?: unknown
  _meta?: unknown
}

function resultOf({ content, structuredContent, isError, _meta }: RawResult): ToolResult {
  const [first] = content as { type: string; text: string }[]
  return {
    text: first!.text,
    structured: structuredContent as ToolResult['structured'],
    isError: isError === true,
    meta: (_meta ?? {}) as ToolResult['meta'],
  }
}

const identity = { name: 'tests', version: '1.0.0' }
/** Longer than the default of one minute, which a command may need to start on a slow machine. */
const patience = { timeout: 280_000 }

async function first(reach: Reach): Promise<Agent> {
  const client = new FirstClient(identity)
  const transport =
    'url' in reach
      ? new FirstHttpTransport(new URL(reach.url), { requestInit: { headers: reach.headers ?? {} } })
      : new FirstStdioTransport({ ...reach, stderr: 'ignore' })
  // With exactOptionalPropertyTypes, the class does not match its own interface.
  await client.connect(transport as Parameters<typeof client.connect>[0], patience)
  return {
    revision: 'protocolVersion' in transport ? (transport.protocolVersion as string | undefined) : undefined,
    tools: async () => (await client.listTools(undefined, patience)).tools,
    call: async (name, args, meta) =>
      resultOf(await client.callTool({ name, arguments: args, _meta: meta }, undefined, patience)),
    close: () => client.close(),
  }
}

async function second(reach: Reach, mode: 'legacy' | 'auto'): Promise<Agent> {
  const client = new Client(identity, { versionNegotiation: { mode } })
  const transport: Transport =
    'url' in reach
      ? new StreamableHTTPClientTransport(new URL(reach.url), { requestInit: { headers: reach.headers ?? {} } })
      : new StdioClientTransport({ ...reach, stderr: 'ignore' })
  await client.connect(transport, patience)
  return {
    revision: client.getNegotiatedProtocolVersion(),
    tools: async () => (await client.listTools(undefined, patience)).tools,
    call: async (name, args, meta) => resultOf(await client.callTool({ name, arguments: args, _meta: meta }, patience)),
    close: () => client.close(),
  }
}

/** The official clients: the first generation, and the second in both of its modes. */
export const generations = {
  'the first client, 2025-11-25': { revision: '2025-11-25', connect: first },
  'the second client, 2025-11-25': { revision: '2025-11-25', connect: (reach: Reach) => second(reach, 'legacy') },
  'the second client, 2026-07-28': { revision: '2026-07-28', connect: (reach: Reach) => second(reach, 'auto') },
} as const satisfies Record<string, { revision: string; connect: (reach: Reach) => Promise<Agent> }>

export const connect = (reach: Reach) => generations['the second client, 2026-07-28'].connect(reach)
