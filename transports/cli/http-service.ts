import { createServer, listen, shutDown } from '../http/index.ts'
import type { LocalDataFolder } from '../service/data-folder/data-folder.ts'
import { createService } from '../service/index.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailure } from './command-failure.ts'
import { openServiceLog } from './output/service-log.ts'
import type { LogLevel } from './settings/log-level.ts'
import { namingRegionSettings } from './settings/payment-settings.ts'
import { UsageError } from './usage-error.ts'

const STANDARD_ERROR = 2

/** An HTTP server that listens. */
export interface RunningServer {
  url: string
  /** No new connections; requests in flight are answered first. */
  close(): Promise<void>
}

function listenFailure(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    return new CommandFailure(`port ${port} on ${host} is taken; choose another with --port or ASOF_PORT`, {
      cause: error,
    })
  }
  if (code === 'EACCES')
    return new CommandFailure(`port ${port} on ${host} is not allowed to this user`, { cause: error })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new UsageError(`${host} is no address of this machine`, { cause: error })
  }
  return error
}

/**
 * Starts the HTTP API over a data folder, as the settings say, and its log on standard error.
 *
 * @param defaultLevel - of the log, where the settings name none.
 */
export async function startServer(
  folder: LocalDataFolder,
  { settings, now }: CommandContext,
  defaultLevel: LogLevel,
): Promise<RunningServer> {
  const log = openServiceLog(STANDARD_ERROR, settings.logLevel ?? defaultLevel)
  const { engine, readLive, checkLiveUrl, reader, journal } = folder
  const parts = { reader, now, checkLiveUrl, journal }
  const service = createService(engine, readLive, parts)
  const payments = await folder.takePayments().catch((error: unknown) => {
    throw namingRegionSettings(error)
  })
  const app = createServer(service, {
    ...settings.http,
    // The name that the operator listens under is a name of the server.
    hosts: [settings.host.toLowerCase(), ...(settings.http.hosts ?? [])],
    ...(payments && { payments }),
    access: await folder.access(),
    engine: folder.engine,
    crawls: () => folder.crawls.figures,
    onAnswer: log.answered,
    onFailure: log.failed,
  })
  const close = async () => {
    await shutDown(app)
    await log.close()
  }
  try {
    return { url: await listen(app, { host: settings.host, port: settings.port }), close }
  } catch (error) {
    await close()
    throw listenFailure(error, settings)
  }
}
