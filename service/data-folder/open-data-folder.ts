import { existsSync, watch } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AsofError, isAsofError } from '@asof/core'
import { closeTree, readPlainFile } from '@asof/core/internal'
import { invalidOption } from '@asof/extract/errors'
import type { OpenFrontiers } from '../../crawler/index.ts'
import { CrawlJobs } from '../crawl-jobs/crawl-jobs.ts'
import { SitePages } from '../crawl-jobs/site-pages.ts'
import { copyDefinitions } from '../crawls/crawl-definition.ts'
import { Crawls } from '../crawls/crawls.ts'
import { expectModelPackages, extractiveReader, LlmReader } from '../index.ts'
import { AccountFolder } from './account-folder.ts'
import { CurrentHolder } from './current-holder.ts'
import {
  crawlJobsDir,
  type DataFolder,
  expectPlainParts,
  frontierDir,
  type LocalDataFolder,
  privateParts,
  settingsFile,
} from './data-folder.ts'
import { FeedbackFolder } from './feedback-folder.ts'
import type { FolderPart, OpenedPart, PartOperation, PartPlace } from './folder-part.ts'
import { inUse } from './holder.ts'
import { openIndex } from './index-place.ts'
import { copyLedgers, type OwnLedger } from './ledger-copy.ts'
import { LiveReader } from './live-reader.ts'
import { openRecords } from './open-records.ts'
import { type DataFolderOptions, type ResolvedOptions, resolveOptions } from './options.ts'
import { answersAt } from './remote-call.ts'
import { ServiceDatabase } from './service-database.ts'
import { remoteDataFolder } from './socket-client.ts'
import { socketPath } from './socket-message.ts'
import { serveSocket } from './socket-server.ts'

/** Imported when something is fetched, so that a process that only searches starts faster. */
const crawler = () => import('../../crawler/index.ts')

/**
 * Maximum wait for a process that has the folder open but does not answer at the socket, ms. A process normally does
 * not answer for a moment, after it opens the folder and before it closes it.
 */
const LOCK_WAIT_MS = 30_000
const LOCK_POLL_MS = 50

/**
 * Opens a data folder in this process, as `asof serve` does. Waits if a short command of another process has it open.
 *
 * @throws ASOF_STORE_MISSING - the folder does not exist, and `create` is false.
 * @throws ASOF_STORE_LOCKED - another process has it open and answers at its socket, or did not close it for 30 s.
 * @throws ASOF_STORE_READ - a part of the folder is a link, a pipe or a device, or cannot be read.
 * @throws ASOF_INVALID_OPTION - an option is unknown or has a value of another type, or `dir` is `':memory:'`.
 */
export async function openDataFolder(dir: string, options?: DataFolderOptions): Promise<LocalDataFolder> {
  return await waitForFolder(dir, resolveOptions(options), async locked => {
    throw await inUse(dir, locked)
  })
}

/**
 * Opens a data folder in this process. If another process has it open and shares it, uses it through the socket of that
 * process; when that process ends, the next operation opens the folder here.
 *
 * @throws ASOF_STORE_MISSING - the folder does not exist, and `create` is false.
 * @throws ASOF_STORE_LOCKED - another process has it open and did not answer at its socket for 30 s.
 * @throws ASOF_STORE_READ - a part of the folder is a link, a pipe or a device, or cannot be read.
 * @throws ASOF_INVALID_OPTION - an option is unknown or has a value of another type, or `dir` is `':memory:'`.
 */
export async function reachDataFolder(dir: string, options?: DataFolderOptions): Promise<DataFolder> {
  const resolved = resolveOptions(options)
  const take = () => waitForFolder(dir, { ...resolved, share: true }, async () => undefined)
  return await waitForFolder(dir, resolved, async () => remoteDataFolder(new CurrentHolder(socketPath(dir), take)))
}

/**
 * Resolves when a file in a folder is created, deleted or changed, such as the socket. Also resolves after `atMostMs`,
 * because releasing a lock changes no file.
 */
async function folderChange(dir: string, atMostMs: number): Promise<void> {
  const stop = new AbortController()
  const late = sleep(atMostMs, undefined, { signal: stop.signal }).catch(() => undefined)
  const changed = new Promise<void>(resolve => {
    try {
      // If the folder is missing or the system cannot watch it, only the time limit ends the wait.
      watch(dir, { signal: stop.signal }, () => resolve()).on('error', () => undefined)
    } catch {
      return
    }
  })
  await Promise.race([late, changed])
  stop.abort()
}

/** @param whenShared - returns the result if another process has the folder open and answers at its socket. */
async function waitForFolder<Folder extends DataFolder | undefined>(
  dir: string,
  options: ResolvedOptions,
  whenShared: (locked: AsofError) => Promise<Folder>,
): Promise<LocalDataFolder | Folder> {
  if (dir === ':memory:') {
    const message = `the data folder cannot be ${dir}: accounts, payments and feedback are kept in files; give the path of a folder`
    throw new AsofError('ASOF_INVALID_OPTION', message, { details: { field: 'dir' } })
  }
  await expectPlainParts(dir)
  const socket = socketPath(dir)
  const beganMs = performance.now()
  for (;;) {
    try {
      return await openHere(dir, options)
    } catch (error) {
      if (!isAsofError(error, 'ASOF_STORE_LOCKED')) throw error
      if (await answersAt(socket)) return await whenShared(error)
      if (performance.now() - beganMs >= LOCK_WAIT_MS) {
        const { details } = error
        const owner = details?.pid === undefined ? 'another process that' : `process ${details.pid}, which`
        const message = `${dir} is in use by ${owner} does not answer at ${socket}: stop that process first`
        throw new AsofError('ASOF_STORE_LOCKED', message, { cause: error, details })
      }
    }
    await folderChange(dir, LOCK_POLL_MS)
  }
}

/**
 * Opens the index. Serves the folder at its socket if it is shared. Does not wait.
 *
 * @throws ASOF_STORE_MISSING - the folder does not exist, and `create` is false.
 * @throws ASOF_STORE_LOCKED - another process has it open.
 * @throws ASOF_PACKAGE_MISSING - the options name a model, and the package that calls models is not installed.
 */
async function openHere(dir: string, options: ResolvedOptions): Promise<LocalDataFolder> {
  const { allowPrivate, refetch, now, llm, embeddings, reranking, onNotice } = options
  // A process with an index in a cluster holds no lock that one with an index here would meet, nor the other way round.
  if (await answersAt(socketPath(dir)))
    throw new AsofError('ASOF_STORE_LOCKED', `${dir} is in use by another process: stop that process first`)
  const atEndpoints = [embeddings, reranking].filter(model => model && 'baseUrl' in model)
  if (llm ?? atEndpoints[0]) await expectModelPackages()
  const index = await openIndex(dir, options)
  // Closes what was opened last first, and everything even if something cannot be closed.
  const opened = new AsyncDisposableStack()
  // LevelDB made its files with the umask of this process.
  opened.defer(async () => {
    for (const part of privateParts(dir)) await closeTree(part)
  })
  opened.defer(() => index.close())
  try {
    const { engine, cluster } = index
    const database = options.database === undefined ? undefined : new ServiceDatabase(options.database, onNotice)
    opened.defer(async () => await database?.close())
    const accounts = new AccountFolder({
      dir,
      database,
      now,
      plans: options.plans,
      createWindow: database?.createWindow,
    })
    opened.defer(() => accounts.close())
    const feedback = new FeedbackFolder({ dir, database, engine, refetch, allowPrivate, now, onNotice })
    opened.defer(() => feedback.close())
    const place: PartPlace = { dir, database, access: () => accounts.open(), now, onNotice }
    const parts = new Map<FolderPart, OpenedPart>()
    for (const part of options.parts ?? []) {
      const own = part.open(place)
      opened.defer(() => own.close())
      parts.set(part, own)
    }
    const operations = operationsOf([...parts.values()])
    const live = new LiveReader({ ...options, engine })
    opened.defer(() => live.close())
    const { signal } = options
    const crawls = new Crawls({
      engine,
      dir: frontierDir(dir),
      database: options.database,
      allowPrivate,
      now,
      signal,
      onNotice,
    })
    opened.defer(() => crawls.close())
    const crawlJobs = new CrawlJobs({
      openRecords: () => openRecords(database, crawlJobsDir(dir), 'the crawl jobs'),
      site: new SitePages({ allowPrivate, now, ...live.storing }),
      now,
      limits: options.crawlJobs,
      onNotice,
    })
    opened.defer(() => crawlJobs.close())
    let address: string | undefined
    let closed: Promise<void> | undefined
    const folder: LocalDataFolder = {
      engine,
      cluster,
      readLive: live.read,
      checkLiveUrl: live.checkUrl,
      reader: llm ? new LlmReader(llm) : extractiveReader,
      journal: feedback,
      exportFeedback: (onPart, signal) => feedback.export(onPart, signal),
      crawl: request => crawls.run(request),
      crawls,
      crawlJobs,
      announce: served => {
        address = served
      },
      createWindow: database?.createWindow,
      backup: (target, request) =>
        engine.backup(target, {
          ...request,
          beside: made =>
            copyBeside(dir, made, { accounts, feedback, parts: [...parts.values()], frontiers: crawls.frontiers }),
        }),
      access: () => accounts.open(),
      administer: async (act, input, actor) => (await accounts.open()).administer(act, input, actor),
      operate: async (name, args, run) => {
        const operation = operations.get(name)
        if (!operation) throw new TypeError(`no part of the data folder has the operation ${name}`)
        if (!Array.isArray(args)) throw new TypeError(`the arguments of the operation ${name} must be a list`)
        return await operation(args as never, { onProgress: () => {}, ...run })
      },
      part: <Opened extends OpenedPart>(part: FolderPart<Opened>): Opened => {
        const own = parts.get(part)
        if (!own) throw new TypeError('the part was not added to the data folder by the option parts')
        // A part is kept under the object that opened it, which says its type.
        return own as Opened
      },
      close: () => {
        closed ??= opened.disposeAsync()
        return closed
      },
    }
    for (const part of privateParts(dir)) for (const message of await closeTree(part)) onNotice(message)
    await feedback.start()
    // What has expired can no longer be read, so the server need not wait until it is deleted.
    if (options.share && (database || existsSync(crawlJobsDir(dir)))) void crawlJobs.sweep()
    if (options.share) opened.defer(await serveSocket(socketPath(dir), folder, { ...options, address: () => address }))
    return folder
  } catch (error) {
    // The failure to open is the one to report.
    await opened.disposeAsync().catch(() => undefined)
    throw error
  }
}

/**
 * Returns the operations of parts by their names.
 *
 * @throws ASOF_INVALID_OPTION - two parts have an operation of the same name.
 */
function operationsOf(parts: readonly OpenedPart[]): ReadonlyMap<string, PartOperation> {
  const operations = new Map<string, PartOperation>()
  for (const part of parts)
    for (const [name, operation] of Object.entries(part.operations)) {
      if (operations.has(name)) throw invalidOption('parts', `has two parts with the operation ${name}`)
      operations.set(name, operation)
    }
  return operations
}

/**
 * Copies everything in a data folder besides the index: settings, crawl frontiers, accounts, payments, purchases and
 * feedback.
 */
async function copyBeside(
  dir: string,
  target: string,
  opened: {
    accounts: AccountFolder
    feedback: FeedbackFolder
    parts: readonly OpenedPart[]
    /** The frontiers of crawls in this process. Undefined before the first crawl. */
    frontiers: OpenFrontiers | undefined
  },
): Promise<void> {
  const { accounts, feedback, parts, frontiers } = opened
  // A missing settings file is normal, because every setting has a default.
  const settings = await readPlainFile(settingsFile(dir))
  if (settings !== undefined) await writeFile(settingsFile(target), settings, { mode: 0o600 })
  const ledgers: OwnLedger[] = []
  for (const part of parts) ledgers.push(...(await part.ledgers()))
  expectNoOtherSales(dir, ledgers)
  const own = await accounts.openOwn()
  if (own) ledgers.push(own)
  await copyLedgers(ledgers, target)
  const { copyFrontiers } = await crawler()
  await copyFrontiers(frontierDir(dir), frontierDir(target), frontiers)
  await copyDefinitions(frontierDir(dir), frontierDir(target))
  await feedback.copyTo(target)
}

/** @throws ASOF_INVALID_OPTION - the folder has ledgers of a store that no part has opened, which a backup would leave out. */
function expectNoOtherSales(dir: string, ledgers: readonly OwnLedger[]): void {
  const copied = new Set(ledgers.map(({ dirIn }) => dirIn(dir)))
  const left = ['payments', 'purchases'].find(name => {
    const sales = path.join(dir, name)
    return existsSync(sales) && !copied.has(sales)
  })
  if (left === undefined) return
  const reason = `the data folder has ${left}, which a backup would leave out; open it with the part of the store`
  throw new AsofError('ASOF_INVALID_OPTION', `parts: ${reason}`, { details: { field: 'parts', reason } })
}
