/** Messages of a client of MCP (JSON-RPC 2.0). */

export const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'tests', version: '1' } },
})

export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }

export const ping = (id: number | string = 1, more: object = {}) => ({ jsonrpc: '2.0', id, method: 'ping', ...more })

export const listTools = (id = 1) => ({ jsonrpc: '2.0', id, method: 'tools/list' })

/** @param args - the arguments of the tool, also wrong ones. */
export const toolCall = (name: string, args: unknown, id: number | string = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})
