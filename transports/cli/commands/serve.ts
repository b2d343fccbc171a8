import { once } from 'node:events'
import type { Command } from 'commander'
import { commandContext, withHeldData } from '../command-context.ts'
import type { Flags } from '../settings/settings.ts'
import {
  dataOption,
  examples,
  hostOption,
  liveOptions,
  mcpFeedbackOption,
  modelOptions,
  portOption,
  privateOption,
  retainOption,
} from './shared-options.ts'

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description('serve the HTTP API until SIGTERM or Ctrl-C')
    .option(...hostOption)
    .option(...portOption)
    .option('--base-url <url>', 'public address of the server, such as https://search.example.com (env ASOF_BASE_URL)')
    .option('--hosts <names>', 'further host names of the server, separated by commas (env ASOF_HOSTS)')
    .option('--mcp-hosts <names>', 'old name of --hosts (env ASOF_MCP_HOSTS)')
    .option(
      '--trust-proxy <on|off|addresses>',
      'proxies whose X-Forwarded-For is trusted: on for the one in front, or addresses and networks separated by commas (env ASOF_TRUST_PROXY; default: off)',
    )
    .option(
      '--keyless-per-second <n>',
      'requests per second of a client address without a key (env ASOF_KEYLESS_PER_SECOND; default: 10)',
    )
    .option('--keyless-per-hour <n>', 'the same per hour (env ASOF_KEYLESS_PER_HOUR; default: 1000)')
    .option(...privateOption)
    .option(...retainOption)
    .option('--cache-mb <n>', 'memory for index caches, in MiB (env ASOF_CACHE_MB; default: 256)')
    .option(
      '--search-timeout-ms <n>',
      'processor time that one search may take, in milliseconds (env ASOF_SEARCH_TIMEOUT_MS; default: 5000)',
    )
    .option(
      '--max-connections-per-address <n>',
      'open connections of one client address (env ASOF_MAX_CONNECTIONS_PER_ADDRESS; default: 256)',
    )
    .option('--max-under-way <n>', 'concurrent searches and fetches (env ASOF_MAX_UNDER_WAY; default: 256)')
    .option(
      '--cors-origins <origins>',
      'web origins whose pages may call the API, separated by commas, or * for all (env ASOF_CORS_ORIGINS; default: none)',
    )
    .option('--compression <on|off>', 'gzip for clients that accept it (env ASOF_COMPRESSION; default: on)')
    .option('--metrics <on|off>', 'let anyone read /metrics (env ASOF_METRICS; default: off)')
    .option('--mcp <on|off>', 'serve agents at /mcp (env ASOF_MCP; default: on)')
    .option(...mcpFeedbackOption)
    .option(
      '--plans-file <file>',
      'plans that the storefront sells, as JSON (env ASOF_PLANS_FILE; default: 1,000 calls for $4.00, and 10,000 calls in 30 days for $40.00)',
    )
    .option(
      '--storefront-upstream <url>',
      'server that answers the calls of the storefront, with the key of STOREFRONT_UPSTREAM_KEY (env STOREFRONT_UPSTREAM; default: this server)',
    )
    .option(
      '--storefront-wording <on|off>',
      'let the language model reword quotes of the storefront (env STOREFRONT_WORDING; default: off)',
    )
    .option('--log-level <level>', 'silent, error, info or debug (env ASOF_LOG_LEVEL; default: info)')
    .addHelpText('after', examples('asof serve --data ./docs-index --port 8787'))
    .action(async (flags: Flags) => {
      const context = await commandContext(flags)
      await withHeldData(context, async (folder, signal) => {
        // Loaded here, so that other commands start faster.
        const { startServer } = await import('../http-service.ts')
        const server = await startServer(folder, context, 'info')
        context.print(`listening on ${server.url}`)
        if (!signal.aborted) await once(signal, 'abort')
        await server.close()
      })
    })
  for (const option of [...liveOptions, ...modelOptions, dataOption]) command.option(...option)
}
