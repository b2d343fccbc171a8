/** Flags and help text of one option, as commander takes them. */
export type OptionText = readonly [flags: string, description: string]

export const dataOption: OptionText = ['--data <dir>', 'data folder (env ASOF_DATA; default: ./data)']

export const jsonOption: OptionText = ['--json', 'print one JSON document instead of text']

export const responseOption: OptionText = ['--json', 'print the response of the HTTP API as JSON']

export const privateOption: OptionText = [
  '--allow-private',
  'allow fetching from loopback and private addresses (env ASOF_ALLOW_PRIVATE; default: off)',
]

export const retainOption: OptionText = [
  '--retain <time>',
  'delete versions that were superseded longer ago than <time>, such as 90d, 6mo or 2y (env ASOF_RETAIN; default: keep all)',
]

export const hostOption: OptionText = ['--host <host>', 'address to listen on (env ASOF_HOST; default: 127.0.0.1)']

export const portOption: OptionText = [
  '--port <port>',
  'port to listen on; 0 picks a free one (env ASOF_PORT; default: 8787)',
]

/** How pages are fetched from their source for one caller. */
export const liveOptions: readonly OptionText[] = [
  ['--store-live', 'add pages that are fetched live to the index (env ASOF_STORE_LIVE; default: off)'],
  ['--live-robots', 'obey robots.txt in live fetches (env ASOF_LIVE_ROBOTS; default: off)'],
]

/** The language model that answers prompts. */
export const modelOptions: readonly OptionText[] = [
  [
    '--llm-url <url>',
    'OpenAI-compatible endpoint that answers prompts, such as http://127.0.0.1:11434/v1 (env ASOF_LLM_URL; default: the built-in reader answers)',
  ],
  ['--llm-model <name>', 'model of that endpoint (env ASOF_LLM_MODEL); its API key is read from ASOF_LLM_API_KEY'],
]

export const mcpFeedbackOption: OptionText = [
  '--mcp-feedback <on|off>',
  'offer agents a tool that rates results (env ASOF_MCP_FEEDBACK; default: on)',
]

/** The values of options with `<time>`, for the end of a help text. */
export const timeHelp = `
<time> is a date (2026-01-31), a timestamp (2026-01-31T10:00Z), or a delta back
from now (90min, 2h, 7d, 1mo, 1y).`

/** Command lines to copy, for the end of a help text. */
export function examples(...lines: string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map(line => `  ${line}`).join('\n')}`
}
