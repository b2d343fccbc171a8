import { expectIndex } from '@asof/core/internal'
import { isError } from '@asof/extract/errors'
import { type Command, Option } from 'commander'
import type { ServiceError } from '../../../service/index.ts'
import type { ToolBackend } from '../../mcp/index.ts'
import { type CommandContext, commandContext, onInterrupt, sharedFolder } from '../command-context.ts'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { clientConfigs, clientNames } from '../mcp-config.ts'
import { type RemoteServer, remoteServer, serverOptions } from '../remote-server.ts'
import { folderSettings, processSettings } from '../settings/server-settings.ts'
import { addSettingOptions } from '../settings/setting.ts'
import type { Settings } from '../settings/settings.ts'
import { dataOption, examples, liveOptions, mcpToolOptions, modelOptions } from './shared-options.ts'

interface Source {
  backend: ToolBackend
  signal: AbortSignal
  close(): Promise<void>
}

/** Returns the backend of the tools: a remote server, or the data folder, which this process or another one holds. */
async function sourceOf(context: CommandContext, remote: RemoteServer | undefined): Promise<Source> {
  const mcp = await import('../../mcp/index.ts')
  if (remote) {
    if (context.settings.sealedAt !== undefined)
      throw new UsageError('a remote server is sealed by its key, not by --sealed-at: see asof key create --sealed-at')
    const signal = onInterrupt(line => context.progress.line(line))
    const backend = mcp.remoteBackend(remote.client)
    return {
      backend: mcp.offering(backend, { feedback: remote.keyed, verify: true, passages: true }),
      signal,
      close: async () => {},
    }
  }
  // A missing index is reported to the user now. An agent that gets the error at its first call may take it for an empty
  // result.
  await expectIndex(context.dir)
  const { LastingFolder } = await import('../mcp-folder.ts')
  const { open, signal } = sharedFolder(context)
  const { now, settings } = context
  const folder = new LastingFolder(open, { now, sealedAt: settings.sealedAt, base: addressOf(settings) })
  return { backend: folder.backend, signal, close: () => folder.close() }
}

/** Returns the address at which `asof serve` serves the folder, for links in citations: the public one if it is set. */
function addressOf({ http, host, port }: Settings): string {
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return http.baseUrl ?? `http://${name}:${port}`
}

async function serve(context: CommandContext, remote: RemoteServer | undefined): Promise<void> {
  const { offering, serveOverStdio } = await import('../../mcp/index.ts')
  const { backend, signal, close } = await sourceOf(context, remote)
  const { mcp } = context.settings.http
  const note = (failure: Error) => context.progress.line(`asof: ${failure.message}`)
  try {
    await serveOverStdio(
      {
        backend: offering(backend, mcp === false ? { feedback: false } : (mcp ?? {})),
        onRefusal: refusal => reportFault(refusal, note),
      },
      { input: process.stdin, output: process.stdout, signal, onFailure: note },
    )
  } finally {
    await close()
  }
}

/** Reports a refused call to the user of the command if asof itself failed. The agent gets every refusal anyway. */
function reportFault(refusal: ServiceError, report: (failure: Error) => void): void {
  if (refusal.kind === 'internal_error') report(isError(refusal.cause) ? refusal.cause : refusal)
}

export function addMcpCommand(program: Command): void {
  const command = program
    .command('mcp')
    .description('let an agent search, over the Model Context Protocol on standard input and output')
    .addOption(
      new Option('--print-config [client]', 'print the configuration for one client, or for all, and exit').choices(
        clientNames,
      ),
    )
    .option(...dataOption)
    .addHelpText('after', examples('asof mcp --print-config claude-code'))
    .action(async (flags: Flags) => {
      const context = await commandContext(flags)
      const remote = remoteServer(flags, process.env, 'asof mcp')
      if (flags.printConfig === undefined) return await serve(context, remote)
      const only = typeof flags.printConfig === 'string' ? flags.printConfig : undefined
      context.print(clientConfigs(remote ?? { dir: context.dir }, process, only))
    })
  addSettingOptions(command, folderSettings.allowPrivate, processSettings.sealedAt)
  addSettingOptions(command, ...mcpToolOptions, ...modelOptions, ...liveOptions)
  for (const option of serverOptions) command.option(...option)
}
