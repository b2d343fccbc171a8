import { shellWord } from './output/wording.ts'

/** The source that a client is configured for: a local data folder or a remote server. */
type ConfiguredSource = { dir: string } | { url: string; keyed: boolean }

/** The parts of this process that are needed to start it again. */
interface StartedProcess {
  execPath: string
  argv: readonly string[]
}

/** Placeholder for the API key, which is not printed. */
const KEY_PLACEHOLDER = '<your API key>'

interface Stdio {
  command: string
  args: string[]
  env?: Record<string, string>
}

interface Http {
  url: string
  headers?: Record<string, string>
}

function stdioOf(source: ConfiguredSource, { execPath, argv }: StartedProcess): Stdio {
  const main = argv[1]
  if (main === undefined) throw new TypeError('the process was not started from a file')
  if ('dir' in source) return { command: execPath, args: [main, 'mcp', '--data', source.dir] }
  const env = source.keyed ? { ASOF_KEY: KEY_PLACEHOLDER } : undefined
  return { command: execPath, args: [main, 'mcp', '--url', source.url], env }
}

function httpOf(source: ConfiguredSource): Http | undefined {
  if ('dir' in source) return undefined
  const url = `${source.url.replace(/\/+$/, '')}/mcp`
  return { url, headers: source.keyed ? { 'X-API-Key': KEY_PLACEHOLDER } : undefined }
}

function json(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
}

/** Returns a TOML table of strings. TOML accepts the string escapes of JSON. */
function toml(values: Readonly<Record<string, string>>): string {
  return `{ ${Object.entries(values)
    .map(([name, value]) => `${JSON.stringify(name)} = ${JSON.stringify(value)}`)
    .join(', ')} }`
}

function codexConfig({ command, args, env }: Stdio, http: Http | undefined): string {
  if (http) {
    const headers = http.headers ? `\nhttp_headers = ${toml(http.headers)}` : ''
    return `[mcp_servers.asof]\nurl = ${JSON.stringify(http.url)}${headers}`
  }
  const variables = env ? `\nenv = ${toml(env)}` : ''
  return `[mcp_servers.asof]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}${variables}`
}

function claudeCodeCommand({ command, args, env = {} }: Stdio, http: Http | undefined): string {
  if (http) {
    const headers = Object.entries(http.headers ?? {}).map(
      ([name, value]) => `--header ${shellWord(`${name}: ${value}`)}`,
    )
    return ['claude mcp add --transport http asof', shellWord(http.url), ...headers].join(' ')
  }
  const variables = Object.entries(env).map(([name, value]) => `--env ${shellWord(`${name}=${value}`)}`)
  return ['claude mcp add asof', ...variables, '--', ...[command, ...args].map(shellWord)].join(' ')
}

interface Client {
  title: string
  /** The file or place where the user enters the configuration. */
  place: string
  config(stdio: Stdio, http: Http | undefined): string
}

/** The clients by their names for `--print-config`. */
const clients: Readonly<Record<string, Client>> = {
  'claude-code': { title: 'Claude Code', place: 'in a shell', config: claudeCodeCommand },
  'claude-desktop': {
    title: 'Claude Desktop',
    place: 'in claude_desktop_config.json (Settings, Developer)',
    // The file of this client supports only commands, and no URLs.
    config: stdio => json({ mcpServers: { asof: stdio } }),
  },
  cursor: {
    title: 'Cursor',
    place: 'in ~/.cursor/mcp.json, or .cursor/mcp.json of a project',
    config: (stdio, http) => json({ mcpServers: { asof: http ?? stdio } }),
  },
  vscode: {
    title: 'VS Code',
    place: 'in .vscode/mcp.json',
    config: (stdio, http) =>
      json({ servers: { asof: http ? { type: 'http', ...http } : { type: 'stdio', ...stdio } } }),
  },
  codex: { title: 'Codex', place: 'in ~/.codex/config.toml', config: codexConfig },
  gemini: {
    title: 'Gemini CLI',
    place: 'in ~/.gemini/settings.json',
    config: (stdio, http) => {
      const { url: httpUrl, ...rest } = http ?? {}
      return json({ mcpServers: { asof: http ? { httpUrl, ...rest } : stdio } })
    },
  },
}

export const clientNames: readonly string[] = Object.keys(clients)

/**
 * Returns the configuration of common MCP clients. For a data folder the client starts this command. For a server the client
 * uses its URL.
 *
 * @param only - one of {@link clientNames}, to return only its configuration. Default: all of them, with titles.
 */
export function clientConfigs(source: ConfiguredSource, started: StartedProcess, only?: string): string {
  const stdio = stdioOf(source, started)
  const http = httpOf(source)
  const client = only === undefined ? undefined : clients[only]
  if (client) return client.config(stdio, http)
  return Object.values(clients)
    .map(({ title, place, config }) => `# ${title}, ${place}:\n${config(stdio, http)}`)
    .join('\n\n')
}
