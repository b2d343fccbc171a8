import path from 'node:path'
import type { BackupReport, Engine } from '@asof/core'
import { expectPlain } from '@asof/core/internal'
import type { ClusterEngine } from '../../cluster/index.ts'
import type { CrawlReport } from '../../crawler/index.ts'
import type { Access, AdminActName } from '../accounts/index.ts'
import type { CrawlJobs } from '../crawl-jobs/crawl-jobs.ts'
import type { CrawlRequest, Crawls } from '../crawls/crawls.ts'
import type { TrecPart } from '../feedback/trec-export.ts'
import type { CheckLiveUrl, CreateWindow, FeedbackJournal, Reader, ReadLive } from '../index.ts'
import type { FolderPart, OpenedPart, PartRun } from './folder-part.ts'
import { socketPath } from './socket-message.ts'

/** Returns the subfolder of a data folder with the URLs that crawls know. */
export function frontierDir(dir: string): string {
  return path.join(dir, 'crawl')
}

/** Returns the subfolder of a data folder with the crawl jobs of organizations. A backup leaves it out, because they expire. */
export function crawlJobsDir(dir: string): string {
  return path.join(dir, 'crawl-jobs')
}

/** Returns the subfolder of a data folder with the accounts. */
export function accessDir(dir: string): string {
  return path.join(dir, 'access')
}

/** Returns the file in a data folder with settings for the command line. A backup includes it. */
export function settingsFile(dir: string): string {
  return path.join(dir, 'asof.json')
}

/** The subfolders of a data folder besides the index that only its owner may read. */
const privateFolders = ['crawl', 'crawl-jobs', 'access', 'feedback', 'payments', 'purchases', 'proofs', 'imports']

/** Returns everything in a data folder besides the index that only its owner may read. */
export function privateParts(dir: string): string[] {
  return [settingsFile(dir), ...privateFolders.map(name => path.join(dir, name))]
}

/**
 * Checks that everything in a data folder besides the index is what asof makes there, so that no command reads or writes
 * elsewhere through a link, or waits at a pipe. The data folder itself may be reached by a link.
 *
 * @throws ASOF_STORE_READ - a part is a link, a pipe or a device, or has one in it.
 */
export async function expectPlainParts(dir: string): Promise<void> {
  await expectPlain(settingsFile(dir), 'file')
  await expectPlain(socketPath(dir), 'socket')
  for (const name of [...privateFolders, 'cluster']) await expectPlain(path.join(dir, name), 'folder')
}

/** The options of {@link DataFolder.backup}. */
export interface BackupRequest {
  /** Cancels the backup. */
  signal?: AbortSignal
  /** Called with the number of bytes copied so far. */
  onProgress?: (bytes: number) => void
}

/** A data folder that this process has open, or that another process serves at its socket. */
export interface DataFolder {
  /** The engine of the index in the folder. */
  engine: Engine
  /** Fetches a page from its site and extracts it. */
  readLive: ReadLive
  /** Answers a `prompt`. Uses a language model if the process with the folder has one. */
  reader: Reader
  /** Stores feedback. */
  journal: FeedbackJournal
  /** Passes all judgments to `onPart` in parts. Stops when the signal aborts. */
  exportFeedback(onPart: (part: TrecPart) => void | Promise<void>, signal?: AbortSignal): Promise<void>
  /** Crawls into the index, and resolves when the run is complete or stopped. Throws what `crawl` of `asof/crawler` throws. */
  crawl(request: CrawlRequest): Promise<CrawlReport>
  /** Copies everything in the folder to a new folder, see `Engine.backup`. */
  backup(dir: string, request: BackupRequest): Promise<BackupReport>
  /**
   * Performs an administrative act on the accounts, see `Access.administer`.
   *
   * @param actor - who acts, for the audit log.
   */
  administer(act: AdminActName, input: unknown, actor: string): Promise<object>
  /**
   * Runs an operation of a part that was added to the folder, in the process that has it open.
   *
   * @throws TypeError - no part has such an operation.
   */
  operate(name: string, args: readonly unknown[], run?: Partial<PartRun>): Promise<unknown>
  /** Waits for the operations of other processes, then closes the folder. */
  close(): Promise<void>
}

/** A data folder that this process has open. */
export interface LocalDataFolder extends DataFolder {
  /** Rejects a URL that `readLive` would refuse because of its address, before anything is charged. */
  checkLiveUrl: CheckLiveUrl
  /** The engine, if the index is in a cluster. */
  cluster?: ClusterEngine
  /** Makes counts that all servers with one database have in common. Undefined without a database. */
  createWindow?: CreateWindow | undefined
  /** The crawls of this process. */
  crawls: Crawls
  /** The crawls that organizations ask for. */
  crawlJobs: CrawlJobs
  /** Sets the URL at which this process serves the folder. Other processes name it when they find the folder in use. */
  announce(address: string): void
  /** Returns the accounts, which the first call opens. */
  access(): Promise<Access>
  /**
   * Returns a part that was added to the folder by the option `parts`.
   *
   * @throws TypeError - it was not added.
   */
  part<Opened extends OpenedPart>(part: FolderPart<Opened>): Opened
}
