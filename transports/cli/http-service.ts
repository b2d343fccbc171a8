import { createServer, listen } from '../http/index.ts'
import { createService } from '../service/index.ts'
import type { CommandContext } from './command-context.ts'
import type { HeldFolder } from './data-folder.ts'
import { UsageError } from './usage-error.ts'

/** An HTTP server that listens. */
export interface RunningServer {
  url: string
  /** No new connections; requests in flight are answered first. */
  close(): Promise<void>
}

function listenFailure(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    return new Error(`port ${port} on ${host} is taken; choose another with --port or ASOF_PORT`, { cause: error })
  }
  if (code === 'EACCES') return new Error(`port ${port} on ${host} is not allowed to this user`, { cause: error })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new UsageError(`${host} is no address of this machine`, { cause: error })
  }
  return error
}

/** Starts the HTTP API over a data folder, as the settings say. Failures of requests are noted on standard error. */
export async function startServer(folder: HeldFolder, { settings, progress }: CommandContext): Promise<RunningServer> {
  const app = createServer(createService(folder.engine, folder.readLive), {
    ...settings.http,
    access: await folder.access(),
    onFailure: (failure, { requestId }) => {
      const trace = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure)
      progress.line(`request ${requestId} failed: ${trace}`)
    },
  })
  try {
    const url = await listen(app, settings)
    return { url, close: () => app.close() }
  } catch (error) {
    await app.close()
    throw listenFailure(error, settings)
  }
}
