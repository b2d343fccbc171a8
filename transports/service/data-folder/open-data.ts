import { copyFile } from 'node:fs/promises'
import { AsofError, isAsofError, open } from '@asof/core'
import type { OpenFrontiers } from '../../../crawler/index.ts'
import type { PaymentSetup } from '../../cli/settings/payment-settings.ts'
import { settingsFile } from '../../cli/settings/settings.ts'
import {
  CrawlTotals,
  EmbeddingsEndpoint,
  type EmbeddingsSettings,
  expectModelPackages,
  extractiveReader,
  LlmReader,
  type LlmSettings,
  RerankEndpoint,
  type RerankSettings,
} from '../index.ts'
import { CurrentHolder } from './current-holder.ts'
import { type DataFolder, frontierDir, type HeldFolder } from './data-folder.ts'
import { FeedbackFolder } from './feedback-folder.ts'
import { folderChange } from './folder-change.ts'
import { type HeldAccounts, holdAccounts } from './held-accounts.ts'
import { LiveReader } from './live-reader.ts'
import { PaymentFolder } from './payment-folder.ts'
import { answersAt } from './remote-call.ts'
import { remoteDataFolder } from './socket-client.ts'
import { socketPath } from './socket-message.ts'
import { serveSocket } from './socket-server.ts'

export interface OpenOptions {
  /** Whether a missing folder is created: for commands that add something to it. */
  create: boolean
  /** Whether fetching private addresses is allowed. */
  allowPrivate: boolean
  /** Whether pages that are fetched live are kept in the index. Default false. */
  storeLive?: boolean
  /** Whether robots.txt is asked before a page is fetched live. Default false. */
  liveRobots?: boolean
  /** Whether other commands may use the folder through the socket meanwhile: for what holds it long. */
  share: boolean
  /** Whether pages that feedback says did not load are fetched again, in the background. Default false. */
  refetch?: boolean
  now: () => number
  /** How long superseded captures are kept; default: for ever. */
  retain?: string
  /** Memory for the index's caches, bytes; default: the engine's. */
  cacheBytes?: number
  /** Processor time that one search may take, milliseconds; default: the engine's. */
  searchTimeoutMs?: number
  /** The language model that answers a `prompt`; default: none. */
  llm?: LlmSettings
  /** The model that tells what pages and queries mean; default: none. */
  embeddings?: EmbeddingsSettings
  /** The model that puts the first results in order; default: none. */
  reranking?: RerankSettings
  /** How payments are taken; default: none are. */
  payments?: PaymentSetup
  /** Stops the crawls that others run through the socket, after the batch in hand. */
  signal?: AbortSignal
  /** Told about what is worth knowing and stops nothing, as a line of text. */
  onNotice: (line: string) => void
}

/** Loaded by who fetches something: what answers from the index alone starts without. */
const crawler = () => import('../../../crawler/index.ts')

/** Between `open` and `listen`, and between a command's last work and its end, a folder is held and not answered for. */
const LOCK_WAIT_MS = 30_000
const LOCK_POLL_MS = 50

/** Copies what a data folder holds beside the index: settings, how far the crawls are, accounts, payments, feedback. */
async function copyBeside(
  dir: string,
  target: string,
  held: {
    accounts: HeldAccounts
    feedback: FeedbackFolder
    payments: PaymentFolder
    /** Those of the crawls that this process runs; undefined before the first. */
    frontiers: OpenFrontiers | undefined
  },
): Promise<void> {
  const { accounts, feedback, payments, frontiers } = held
  try {
    await copyFile(settingsFile(dir), settingsFile(target))
  } catch (error) {
    // No file is the ordinary case: every setting has a default.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  await accounts.copyTo(target)
  const { copyFrontiers } = await crawler()
  await copyFrontiers(frontierDir(dir), frontierDir(target), frontiers)
  await feedback.copyTo(target)
  await payments.copyTo(target)
}

/**
 * Opens a data folder in this process.
 *
 * @throws ASOF_STORE_MISSING - the data folder does not exist, and `create` is false.
 * @throws ASOF_STORE_LOCKED - another process holds it.
 * @throws ASOF_PACKAGE_MISSING - the options name a model, and the package that asks models is not installed.
 */
async function openLocal(dir: string, options: OpenOptions): Promise<HeldFolder> {
  const { create, allowPrivate, now, retain, cacheBytes, searchTimeoutMs, llm, embeddings, reranking, onNotice } =
    options
  if (llm ?? embeddings ?? reranking) await expectModelPackages()
  const engine = await open(dir, {
    create,
    now,
    onWarning: warning => onNotice(`asof: ${warning.message}`),
    ...(retain === undefined ? {} : { retain }),
    ...(cacheBytes === undefined ? {} : { cacheBytes }),
    ...(searchTimeoutMs === undefined ? {} : { searchTimeoutMs }),
    ...(embeddings === undefined ? {} : { embed: new EmbeddingsEndpoint(embeddings) }),
    ...(reranking === undefined ? {} : { rerank: new RerankEndpoint(reranking) }),
  })
  const accounts = holdAccounts(dir, now)
  const feedback = new FeedbackFolder({ dir, engine, refetch: options.refetch ?? false, allowPrivate, now, onNotice })
  const payments = new PaymentFolder({ dir, setup: options.payments, now, onNotice })
  const crawls = new CrawlTotals()
  let frontiers: OpenFrontiers | undefined
  const live = new LiveReader({ ...options, engine })
  const close = async () => {
    await live.close()
    await payments.close()
    await feedback.close()
    await accounts.close()
    await engine.close()
  }
  const folder: HeldFolder = {
    engine,
    readLive: live.read,
    checkLiveUrl: live.checkUrl,
    reader: llm ? new LlmReader(llm) : extractiveReader,
    journal: feedback,
    exportFeedback: (onPart, signal) => feedback.export(onPart, signal),
    crawl: async ({ corpus, limits, signal, onProgress }) => {
      const { crawl, OpenFrontiers } = await crawler()
      frontiers ??= new OpenFrontiers()
      const running = frontiers
      return await crawls.follow(counted =>
        crawl(engine, corpus, {
          ...limits,
          dir: frontierDir(dir),
          frontiers: running,
          now,
          allowPrivate,
          ...(signal ? { signal } : {}),
          onProgress: event => {
            counted(event)
            onProgress?.(event)
          },
        }),
      )
    },
    crawls,
    backup: (target, run) =>
      engine.backup(target, {
        ...run,
        beside: made => copyBeside(dir, made, { accounts, feedback, payments, frontiers }),
      }),
    access: accounts.access,
    administer: async (act, input, actor) => (await accounts.access()).administer(act, input, actor),
    payments: (act, input) => payments.act(act, input),
    exportPayments: (days, onPayment, signal) => payments.export(days, onPayment, signal),
    takePayments: () => payments.start(),
    close,
  }
  if (!options.share) return folder
  try {
    await feedback.start()
    const closeSocket = await serveSocket(socketPath(dir), folder, options)
    return {
      ...folder,
      close: async () => {
        await closeSocket()
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Opens a data folder, or reaches the process that holds it.
 *
 * @throws ASOF_STORE_MISSING - the data folder does not exist, and `create` is false.
 * @throws ASOF_STORE_LOCKED - another process holds it, and answered at no socket for 30 s.
 */
export function openData(dir: string, options: OpenOptions): Promise<DataFolder> {
  const take = () => waitForFolder(dir, { ...options, share: true }, async () => undefined)
  return waitForFolder(dir, options, async () => remoteDataFolder(new CurrentHolder(socketPath(dir), take)))
}

/**
 * Opens a data folder in this process, waiting for a short command that holds it to end.
 *
 * @throws ASOF_STORE_LOCKED - a process that answers others holds it, or another one did for 30 s.
 */
export function holdData(dir: string, options: OpenOptions): Promise<HeldFolder> {
  return waitForFolder(dir, options, async held => {
    throw held
  })
}

/** @param whenShared - what to do when the process that holds the folder answers for it. */
async function waitForFolder<Folder extends DataFolder | undefined>(
  dir: string,
  options: OpenOptions,
  whenShared: (held: AsofError) => Promise<Folder>,
): Promise<HeldFolder | Folder> {
  const socket = socketPath(dir)
  const beganMs = performance.now()
  for (;;) {
    try {
      return await openLocal(dir, options)
    } catch (error) {
      if (!isAsofError(error, 'ASOF_STORE_LOCKED')) throw error
      if (await answersAt(socket)) return await whenShared(error)
      if (performance.now() - beganMs >= LOCK_WAIT_MS) {
        const message = `${dir} is held by another process that does not answer at ${socket}`
        throw new AsofError('ASOF_STORE_LOCKED', message, { cause: error })
      }
    }
    await folderChange(dir, LOCK_POLL_MS)
  }
}
