import { onTestFinished } from 'vitest'
import { addCustomer, type CustomerSettings } from '../../../service/accounts/accounts.ts'
import { type Agent, connect, type Reach } from '../../mcp/agents.ts'
import { type ServerOptions, startServer } from '../running-server.ts'

/** The forms of an answer that every client of MCP accepts. */
export const accept = { Accept: 'application/json, text/event-stream' }

/** Two versions of one page. */
const captures = [
  { url: 'https://example.com/ships', text: 'ships at sea', acquiredAt: '2025-01-10' },
  { url: 'https://example.com/ships', text: 'ships in harbour', acquiredAt: '2025-06-10' },
]

/** Starts a server with one customer, until the end of the test. It has two versions of a page if `options` name no others. */
export async function startMcp(options: ServerOptions = {}, settings: CustomerSettings = {}) {
  const server = await startServer({ accounts: true, captures, ...options })
  onTestFinished(() => server.close())
  const customer = await addCustomer(server.access, settings)
  return { server, customer, url: `${server.url}/mcp`, key: { 'X-API-Key': customer.key } }
}

/** Connects an official client until the end of the test. */
export async function agent(reach: Reach, connectBy: (reach: Reach) => Promise<Agent> = connect): Promise<Agent> {
  const connected = await connectBy(reach)
  onTestFinished(() => connected.close())
  return connected
}

/** Sends a message without a client. */
export function send(url: string, message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...accept, ...headers },
    body: JSON.stringify(message),
  })
}
