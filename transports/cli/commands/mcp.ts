import { expectIndex } from '@asof/core'
import { type Command, Option } from 'commander'
import type { Answerer } from '../../mcp/index.ts'
import { type CommandContext, commandContext, sharedFolder } from '../command-context.ts'
import { onInterrupt } from '../interrupt.ts'
import { clientConfigs, clientNames } from '../mcp-config.ts'
import { type RemoteServer, remoteServer, serverOptions } from '../remote-server.ts'
import type { Flags } from '../settings/settings.ts'

interface Source {
  answerer: Answerer
  signal: AbortSignal
  close(): Promise<void>
}

/** Who answers: a server somewhere else, or the data folder, held here or by another process. */
async function sourceOf(context: CommandContext, remote: RemoteServer | undefined): Promise<Source> {
  const mcp = await import('../../mcp/index.ts')
  if (remote) {
    const signal = onInterrupt(line => context.progress.line(line))
    const answerer = mcp.remoteAnswerer(remote.client)
    return { answerer: remote.keyed ? answerer : mcp.withoutFeedback(answerer), signal, close: async () => {} }
  }
  // Now, not with the first call: an agent would be told that nothing is found.
  await expectIndex(context.dir)
  const { LastingFolder } = await import('../mcp-folder.ts')
  const { open, signal } = sharedFolder(context)
  const folder = new LastingFolder(open, context.now)
  return { answerer: folder.answerer, signal, close: () => folder.close() }
}

async function serve(context: CommandContext, remote: RemoteServer | undefined): Promise<void> {
  const { serveOverStdio, withoutFeedback } = await import('../../mcp/index.ts')
  const { answerer, signal, close } = await sourceOf(context, remote)
  const { mcp } = context.settings.http
  const takesFeedback = mcp !== false && mcp?.feedback !== false
  const note = (failure: Error) => context.progress.line(`asof: ${failure.message}`)
  try {
    await serveOverStdio(
      {
        answerer: takesFeedback ? answerer : withoutFeedback(answerer),
        onRefusal: refusal => tellFault(refusal, note),
      },
      { input: process.stdin, output: process.stdout, signal, onFailure: note },
    )
  } finally {
    await close()
  }
}

/** The agent hears of every refusal; whoever runs the command, of those that are our own fault. */
function tellFault(refusal: Error & { status: number }, tell: (failure: Error) => void): void {
  if (refusal.status === 500) tell(refusal.cause instanceof Error ? refusal.cause : refusal)
}

export function addMcpCommand(program: Command): void {
  const command = program
    .command('mcp')
    .description('let an agent search: the Model Context Protocol on standard input and output')
    .addOption(
      new Option('--print-config [client]', 'print how clients are told of this command, and end').choices(clientNames),
    )
    .option(
      '--mcp-feedback <on|off>',
      'offer the tool by which agents rate results (env ASOF_MCP_FEEDBACK, default on)',
    )
    .option('--allow-private', 'allow live fetches of loopback and private addresses')
    .option('--store-live', 'keep pages that are fetched live in the index (env ASOF_STORE_LIVE, default off)')
    .option('--live-robots', 'ask robots.txt before a page is fetched live (env ASOF_LIVE_ROBOTS, default off)')
    .option('--llm-url <url>', 'OpenAI-compatible endpoint that answers prompts (env ASOF_LLM_URL); default: none')
    .option('--llm-model <name>', 'env ASOF_LLM_MODEL; its key is ASOF_LLM_API_KEY')
    .option('--data <dir>', 'data folder (env ASOF_DATA, default ./data)')
    .action(async (flags: Flags) => {
      const context = await commandContext(flags)
      const remote = remoteServer(flags, process.env, 'asof mcp')
      if (flags.printConfig === undefined) return await serve(context, remote)
      const only = typeof flags.printConfig === 'string' ? flags.printConfig : undefined
      context.print(clientConfigs(remote ?? { dir: context.dir }, process, only))
    })
  for (const [option, about] of serverOptions) command.option(option, about)
}
