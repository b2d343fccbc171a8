import { once } from 'node:events'
import type { Command } from 'commander'
import { commandContext, withHeldData } from '../command-context.ts'
import type { Flags } from '../settings/settings.ts'

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('answer the HTTP API, until SIGTERM or Ctrl-C')
    .option('--host <host>', 'env ASOF_HOST, default 127.0.0.1')
    .option('--port <port>', 'env ASOF_PORT, default 8787; 0 picks a free one')
    .option('--base-url <url>', 'the public address (env ASOF_BASE_URL)')
    .option('--hosts <names>', 'host names of the server besides that of --base-url (env ASOF_HOSTS)')
    .option('--mcp-hosts <names>', 'older name of --hosts (env ASOF_MCP_HOSTS)')
    .option('--trust-proxy <on|off|addresses>', 'whose X-Forwarded-For is believed (env ASOF_TRUST_PROXY)')
    .option('--keyless-per-second <n>', 'requests per address without a key (env ASOF_KEYLESS_PER_SECOND, default 10)')
    .option('--keyless-per-hour <n>', 'env ASOF_KEYLESS_PER_HOUR, default 1000')
    .option('--allow-private', 'allow live fetches of loopback and private addresses (env ASOF_ALLOW_PRIVATE)')
    .option('--store-live', 'keep pages that are fetched live in the index (env ASOF_STORE_LIVE, default off)')
    .option('--live-robots', 'ask robots.txt before a page is fetched live (env ASOF_LIVE_ROBOTS, default off)')
    .option('--llm-url <url>', 'OpenAI-compatible endpoint that answers prompts (env ASOF_LLM_URL); default: none')
    .option('--llm-model <name>', 'env ASOF_LLM_MODEL; its key is ASOF_LLM_API_KEY')
    .option('--retain <time>', 'let go what was superseded longer ago, such as 90d or 2y (env ASOF_RETAIN)')
    .option('--cache-mb <n>', 'memory for caches of the index, MiB (env ASOF_CACHE_MB, default 256)')
    .option('--search-timeout-ms <n>', 'processor time of a search, ms (env ASOF_SEARCH_TIMEOUT_MS, default 5000)')
    .option(
      '--max-connections-per-address <n>',
      'open connections of one client address (env ASOF_MAX_CONNECTIONS_PER_ADDRESS, default 256)',
    )
    .option('--max-under-way <n>', 'searches and fetches at a time (env ASOF_MAX_UNDER_WAY, default 256)')
    .option('--cors-origins <origins>', 'web origins that may call, or * (env ASOF_CORS_ORIGINS)')
    .option('--compression <on|off>', 'gzip for who takes it (env ASOF_COMPRESSION, default on)')
    .option('--metrics <on|off>', 'let anyone read /metrics (env ASOF_METRICS, default off)')
    .option('--mcp <on|off>', 'let agents search at /mcp (env ASOF_MCP, default on)')
    .option(
      '--mcp-feedback <on|off>',
      'offer the tool by which agents rate results (env ASOF_MCP_FEEDBACK, default on)',
    )
    .option('--log-level <level>', 'silent, error, info or debug (env ASOF_LOG_LEVEL, default info)')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .action(async (flags: Flags) => {
      const context = await commandContext(flags)
      await withHeldData(context, async (folder, signal) => {
        // Only now: no other command should take the time to load a server.
        const { startServer } = await import('../http-service.ts')
        const server = await startServer(folder, context, 'info')
        context.print(`listening on ${server.url}`)
        if (!signal.aborted) await once(signal, 'abort')
        await server.close()
      })
    })
}
