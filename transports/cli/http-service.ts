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

/** A listening HTTP server. */
export interface RunningServer {
  url: string
  /** Stops the server. Requests in flight are answered before it resolves. */
  close(): Promise<void>
}

/** The message for a user when the server can't listen. */
function listenFailure(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    return new CommandFailure(`port ${port} on ${host} is taken; choose another one with --port or ASOF_PORT`, {
      cause: error,
    })
  }
  if (code === 'EACCES')
    return new CommandFailure(
      `this user may not listen on port ${port} of ${host}; choose another one with --port or ASOF_PORT`,
      { cause: error },
    )
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new UsageError(`${host} is not an address of this machine; choose another one with --host or ASOF_HOST`, {
      cause: error,
    })
  }
  return error
}

/**
 * Starts the HTTP API for a data folder. Its log goes to standard error.
 *
 * @param defaultLevel - log level if the settings have none.
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
  const purchases = await folder.sellPlans(payments)
  const app = createServer(service, {
    ...settings.http,
    // The host that the server listens on is also a name of the server.
    hosts: [settings.host.toLowerCase(), ...(settings.http.hosts ?? [])],
    ...(payments && { payments }),
    ...(purchases && { purchases }),
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
