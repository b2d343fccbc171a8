import { describe, expect, it } from 'vitest'
import { clientConfigs, clientNames } from '../../../transports/cli/mcp-config.ts'

const started = { execPath: '/usr/bin/node', argv: ['/usr/bin/node', '/opt/as of/main.js', 'mcp'] }
const folder = { dir: '/data/my index' }
const server = { url: 'https://search.example/', keyed: true }
const stdio = { command: '/usr/bin/node', args: ['/opt/as of/main.js', 'mcp', '--data', '/data/my index'] }
const http = { url: 'https://search.example/mcp', headers: { 'X-API-Key': '<your API key>' } }

describe('the configuration of clients', () => {
  it('starts this command on the data folder', () => {
    for (const name of ['claude-desktop', 'cursor', 'gemini']) {
      expect(JSON.parse(clientConfigs(folder, started, name))).toEqual({ mcpServers: { asof: stdio } })
    }
    expect(JSON.parse(clientConfigs(folder, started, 'vscode'))).toEqual({
      servers: { asof: { type: 'stdio', ...stdio } },
    })
    expect(clientConfigs(folder, started, 'claude-code')).toBe(
      "claude mcp add asof -- /usr/bin/node '/opt/as of/main.js' mcp --data '/data/my index'",
    )
    expect(clientConfigs(folder, started, 'codex')).toBe(
      '[mcp_servers.asof]\ncommand = "/usr/bin/node"\nargs = ["/opt/as of/main.js","mcp","--data","/data/my index"]',
    )
  })

  it('has the address of a server and a placeholder for the key', () => {
    expect(JSON.parse(clientConfigs(server, started, 'cursor'))).toEqual({ mcpServers: { asof: http } })
    expect(JSON.parse(clientConfigs(server, started, 'vscode'))).toEqual({
      servers: { asof: { type: 'http', ...http } },
    })
    expect(JSON.parse(clientConfigs(server, started, 'gemini'))).toEqual({
      mcpServers: { asof: { httpUrl: http.url, headers: http.headers } },
    })
    expect(clientConfigs(server, started, 'claude-code')).toBe(
      "claude mcp add --transport http asof https://search.example/mcp --header 'X-API-Key: <your API key>'",
    )
    expect(clientConfigs(server, started, 'codex')).toContain('http_headers = { "X-API-Key" = "<your API key>" }')
  })

  it('has no placeholder if no key is used', () => {
    expect(clientConfigs({ url: 'http://127.0.0.1:8787', keyed: false }, started)).not.toContain('your API key')
  })

  it('starts this command for a client that supports only commands', () => {
    expect(JSON.parse(clientConfigs(server, started, 'claude-desktop'))).toEqual({
      mcpServers: {
        asof: {
          command: '/usr/bin/node',
          args: ['/opt/as of/main.js', 'mcp', '--url', 'https://search.example/'],
          env: { ASOF_KEY: '<your API key>' },
        },
      },
    })
  })

  it('is printed for all clients, each with the place where it belongs', () => {
    const all = clientConfigs(folder, started)
    for (const name of clientNames) expect(all).toContain(clientConfigs(folder, started, name))
    expect(all).toContain('# Cursor, in ~/.cursor/mcp.json')
  })
})
