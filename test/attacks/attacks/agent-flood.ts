import type { Attack } from '../attack.ts'
import { call, repeat } from '../call.ts'

const messages = [
  { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  { jsonrpc: '2.0', id: 1, method: 'ping' },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  Array.from({ length: 50 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })),
  { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'search_web_pages', arguments: { query: 'w1' } } },
].map(message => JSON.stringify(message))

const headers = { accept: 'application/json, text/event-stream' }

export const attack: Attack = {
  name: 'a flood of messages at /mcp',
  run: ({ url, localAddress, signal, note }) =>
    repeat(signal, 4, async turn => {
      const body = messages[turn % messages.length]!
      note(await call({ url: `${url}/mcp`, method: 'POST', headers, body, localAddress, signal }))
    }),
}
