import { packageVersion } from '../../mcp/package-version.ts'

/** The commands that most people need, each as an example with what it does. */
const common = [
  ['asof demo', 'see it work on a small website'],
  ['asof crawl https://example.com/', 'fetch pages into the index in ./data'],
  ['asof import ./notes', 'add files: Markdown, HTML, PDF, CSV, …'],
  ['asof search release notes', 'search; --query-time 30d for the past'],
  ['asof fetch <url>', 'print a page as Markdown'],
  ['asof history <url>', 'list its versions and what changed'],
  ['asof serve', 'serve the console and the HTTP API'],
  ['asof mcp --print-config', 'let an agent search'],
] as const

/** Returns what `asof` prints without a command, in lines of 80 columns. */
export function overviewText(): string {
  const width = Math.max(...common.map(([example]) => example.length)) + 2
  return [
    `asof ${packageVersion}, a web search engine that answers as of any moment`,
    '',
    ...common.map(([example, text]) => `  ${example.padEnd(width)}${text}`),
    '',
    '`asof --help` lists all commands, `asof <command> --help` the options of one.',
  ].join('\n')
}
