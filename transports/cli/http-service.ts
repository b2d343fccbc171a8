import { type Engine, isAsofError } from '@asof/core'
import { codeOf } from '@asof/extract/errors'
import type { Access } from '../../service/accounts/index.ts'
import type { LocalDataFolder } from '../../service/data-folder/index.ts'
import { type CallService, type ChargedName, createService, type Service } from '../../service/index.ts'
import { wordingOf } from '../../store/advisor/index.ts'
import { store } from '../../store/ways/index.ts'
import { createServer, listen, shutDown } from '../http/index.ts'
import type { CommandContext } from './command-context.ts'
import { CommandFailure, UsageError } from './command-failure.ts'
import { LiveDoctor } from './live-doctor.ts'
import { openServiceLog, type ServiceLog } from './output/service-log.ts'
import { namingRegionSettings } from './settings/payment-settings.ts'
import type { LogLevel } from './settings/server-settings.ts'
import type { Settings } from './settings/settings.ts'

const STANDARD_ERROR = 2

/** A listening HTTP server. */
interface RunningServer {
  url: string
  /** Stops the server. Requests in flight are answered before it resolves. */
  close(): Promise<void>
}

/** Returns the error for the user if the server can't listen. */
function listenFailure(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const other = (flag: string, variable: string) => `choose another one with ${flag} or ${variable}`
  const options = { cause: error }
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return new CommandFailure(`port ${port} on ${host} is taken; ${other('--port', 'ASOF_PORT')}`, options)
    case 'EACCES':
      return new CommandFailure(
        `this user may not listen on port ${port} of ${host}; ${other('--port', 'ASOF_PORT')}`,
        options,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new UsageError(`${host} is not an address of this machine; ${other('--host', 'ASOF_HOST')}`, options)
    default:
      return error
  }
}

/**
 * Returns calls that another server (the upstream) answers, for the storefront. Returns `undefined` if there is no
 * upstream.
 *
 * @throws UsageError - the address or the key of the server is bad.
 */
async function storefrontOf(
  service: Service,
  { storefrontUpstream }: Settings,
  log: ServiceLog,
): Promise<CallService<ChargedName> | undefined> {
  if (!storefrontUpstream) return undefined
  // The module is loaded here, because most servers have no upstream.
  const { upstreamService } = await import('../upstream/index.ts')
  try {
    return upstreamService(service, { ...storefrontUpstream, onFailure: failure => log.failed(failure, {}) })
  } catch (error) {
    if (!isAsofError(error, 'ASOF_INVALID_OPTION')) throw error
    throw new UsageError(`storefront_upstream (STOREFRONT_UPSTREAM): ${error.message}`, { cause: error })
  }
}

/** The warning of a server that sells by x402 what private search and sealed keys withhold. */
const soldBesideSeals =
  'search is private and some keys are sealed, but anyone who pays by x402 reads the whole index, also what came after the seals; turn payments off, or seal the server itself (sealed_at)'

interface ListedKey {
  id: string
  sealed_at: string | null
  revoked_at: string | null
}

const KEYS_READ = 1_000

/** Returns true if any key that works is sealed. */
async function hasSealedKeys(access: Access): Promise<boolean> {
  for (let after: string | undefined; ; ) {
    const keys = (await access.administer('key.list', { limit: KEYS_READ, after }, 'asof serve')) as ListedKey[]
    if (keys.some(({ sealed_at, revoked_at }) => sealed_at !== null && revoked_at === null)) return true
    if (keys.length < KEYS_READ) return false
    after = keys.at(-1)?.id
  }
}

/**
 * Starts the HTTP API for a data folder. Its log goes to standard error.
 *
 * @param defaultLevel - log level if the settings have none.
 */
export async function startServer(
  folder: LocalDataFolder,
  { settings, store: part, now, progress }: CommandContext,
  defaultLevel: LogLevel,
): Promise<RunningServer> {
  const log = openServiceLog(STANDARD_ERROR, settings.logLevel ?? defaultLevel)
  const { readLive, checkLiveUrl, reader, journal } = folder
  const { sealedAt } = settings
  const whole = createService(folder.engine, readLive, { reader, now, checkLiveUrl, journal })
  const service = sealedAt === undefined ? whole : whole.sealed(sealedAt)
  const storefrontService = await storefrontOf(service, settings, log)
  const sold = folder.part(part)
  const payments = await sold.takePayments().catch((error: unknown) => {
    throw namingRegionSettings(error)
  })
  const access = await folder.access()
  if (payments && settings.http.privateSearch && (await hasSealedKeys(access)))
    progress.line(`asof: ${soldBesideSeals}`)
  const purchases = await sold.sellPlans(payments)
  const walletProof = await sold.checkWallets()
  const [, program = ''] = process.argv
  // Crawls and the doctor show what came after a seal.
  const doctor = sealedAt === undefined && !folder.cluster ? new LiveDoctor(folder, now, program) : undefined
  const app = createServer(service, {
    ...settings.http,
    // Requests may also name the host that the server listens on.
    hosts: [settings.host.toLowerCase(), ...(settings.http.hosts ?? [])],
    createWindow: folder.createWindow,
    ways: store({
      payments,
      purchases,
      walletProof,
      wording: settings.storefrontWording ? wordingOf(reader) : undefined,
      service: storefrontService,
    }),
    access,
    // Routes that write reach methods that reject with ASOF_SEALED.
    engine: sealedAt === undefined ? folder.engine : (folder.engine.sealed(sealedAt) as Engine),
    cluster: folder.cluster,
    crawls: sealedAt === undefined ? folder.crawls : undefined,
    crawlJobs: settings.crawlJobs.running > 0 ? folder.crawlJobs : undefined,
    doctor,
    onAnswer: log.answered,
    onFailure: log.failed,
  })
  const close = async () => {
    await shutDown(app)
    await doctor?.close()
    await log.close()
  }
  try {
    const url = await listen(app, { host: settings.host, port: settings.port })
    folder.announce(url)
    return { url, close }
  } catch (error) {
    await close()
    throw listenFailure(error, settings)
  }
}
