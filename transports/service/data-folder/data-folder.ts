import path from 'node:path'
import type { BackupReport, Engine } from '@asof/core'
import type { Corpus, CrawlEvent, CrawlReport } from '../../../crawler/index.ts'
import type { Access, AdminActName } from '../accounts/index.ts'
import type { TrecPart } from '../feedback/trec-export.ts'
import type { CheckLiveUrl, CrawlTotals, FeedbackJournal, Reader, ReadLive } from '../index.ts'
import type { PaymentActName } from '../payments/payment-acts.ts'
import type { Payments } from '../payments/payments.ts'
import type { PaymentDays } from './payment-folder.ts'

/** Where the crawler keeps what it still has to visit, inside a data folder. */
export function frontierDir(dir: string): string {
  return path.join(dir, 'crawl')
}

/** Where the accounts are kept, inside a data folder. */
export function accessDir(dir: string): string {
  return path.join(dir, 'access')
}

/** Limits of one crawl; what is absent has the crawler's default. */
export interface CrawlLimits {
  delayMs?: number
  concurrency?: number
  maxPages?: number
  maxDepth?: number
  /** Keeps the corpus fresh instead of ending. */
  watch?: boolean
}

export interface CrawlRun {
  /** A corpus definition, or the URLs to start from. */
  corpus: Corpus | string[]
  limits: CrawlLimits
  /** Stops the crawl after the batch in hand. */
  signal?: AbortSignal
  onProgress?: (event: CrawlEvent) => void
}

export interface BackupRun {
  signal?: AbortSignal
  /** Told of the bytes copied so far. */
  onProgress?: (bytes: number) => void
}

/** A data folder as the commands see it: held by this process, or by another one behind its socket. */
export interface DataFolder {
  engine: Engine
  readLive: ReadLive
  /** Answers a `prompt`, as the settings of the process that holds the folder say. */
  reader: Reader
  /** Keeps feedback. Default: none is taken. */
  journal?: FeedbackJournal
  /** Hands out the judgements of all feedback, a part at a time; stops when the signal aborts. */
  exportFeedback(onPart: (part: TrecPart) => void | Promise<void>, signal?: AbortSignal): Promise<void>
  crawl(run: CrawlRun): Promise<CrawlReport>
  /** Copies all that is kept in the folder into a new one: see `Engine.backup`. */
  backup(dir: string, run: BackupRun): Promise<BackupReport>
  /**
   * Performs an administrative act on the accounts: see `Access.administer`.
   *
   * @param actor - who acts, for the audit log.
   */
  administer(act: AdminActName, input: unknown, actor: string): Promise<object>
  /** Performs an act on the payments that were taken: see `paymentActs`. */
  payments(act: PaymentActName, input: unknown): Promise<object>
  /** Hands out the payments of some days, oldest first, under wire names; stops when the signal aborts. */
  exportPayments(
    days: PaymentDays,
    onPayment: (payment: object) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<void>
  /** Lets go of the folder; operations that others run through the socket are finished first. */
  close(): Promise<void>
}

/** A data folder that this process itself holds. */
export interface HeldFolder extends DataFolder {
  /** Refuses URLs that `readLive` refuses for their address, before anything is charged. */
  checkLiveUrl: CheckLiveUrl
  /** What has been crawled by this process, for whoever asked. */
  crawls: CrawlTotals
  /** The accounts, opened when they are first asked for. */
  access(): Promise<Access>
  /** Starts taking payments, where the settings say how: once. */
  takePayments(): Promise<Payments | undefined>
}
