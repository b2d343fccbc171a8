import path from 'node:path'
import type { BackupReport, Engine } from '@asof/core'
import type { Corpus, CrawlEvent, CrawlReport } from '../../crawler/index.ts'
import type { Access, AdminActName } from '../accounts/index.ts'
import type { TrecPart } from '../feedback/trec-export.ts'
import type { CheckLiveUrl, CrawlTotals, FeedbackJournal, Reader, ReadLive } from '../index.ts'
import type { PaymentActName } from '../payments/payment-acts.ts'
import type { Payments } from '../payments/payments.ts'
import type { Purchases } from '../storefront/purchases/index.ts'
import type { WalletProof } from '../storefront/wallet-proof/index.ts'
import type { PaymentDays } from './payment-folder.ts'

/** The part of a data folder where the crawler stores the URLs that it knows, and when to visit them. */
export function frontierDir(dir: string): string {
  return path.join(dir, 'crawl')
}

/** The part of a data folder where the accounts are stored. */
export function accessDir(dir: string): string {
  return path.join(dir, 'access')
}

/** The file in a data folder from which the command line reads settings. A backup includes it. */
export function settingsFile(dir: string): string {
  return path.join(dir, 'asof.json')
}

/** What a data folder holds beside the index, all of which only its user may read. */
export function privateParts(dir: string): string[] {
  const folders = ['crawl', 'access', 'feedback', 'payments', 'purchases', 'proofs', 'imports']
  return [settingsFile(dir), ...folders.map(name => path.join(dir, name))]
}

/** Limits of one crawl. The crawler's defaults apply to those that are absent. */
export interface CrawlLimits {
  delayMs?: number
  concurrency?: number
  maxPages?: number
  maxDepth?: number
  /** Revisits pages to keep the corpus fresh instead of ending. */
  watch?: boolean
}

export interface CrawlRequest {
  /** A corpus definition, or the URLs to start from. */
  corpus: Corpus | string[]
  limits: CrawlLimits
  /** Stops the crawl when the current batch is stored. */
  signal?: AbortSignal
  onProgress?: (event: CrawlEvent) => void
}

export interface BackupRequest {
  signal?: AbortSignal
  /** Receives the number of bytes copied so far. */
  onProgress?: (bytes: number) => void
}

/** A data folder, opened by this process or by another one that serves it at its socket. */
export interface DataFolder {
  engine: Engine
  /** Fetches a page from its site and extracts it. */
  readLive: ReadLive
  /** Answers a `prompt`, with the language model of the process that opened the folder, if it has one. */
  reader: Reader
  /** Stores feedback. */
  journal: FeedbackJournal
  /** Passes all judgments to `onPart`, one part at a time; stops when the signal aborts. */
  exportFeedback(onPart: (part: TrecPart) => void | Promise<void>, signal?: AbortSignal): Promise<void>
  crawl(request: CrawlRequest): Promise<CrawlReport>
  /** Copies everything in the folder into a new folder, see `Engine.backup`. */
  backup(dir: string, request: BackupRequest): Promise<BackupReport>
  /**
   * Performs an administrative act on the accounts, see `Access.administer`.
   *
   * @param actor - who acts, for the audit log.
   */
  administer(act: AdminActName, input: unknown, actor: string): Promise<object>
  /** Performs an act on the stored payments, see `paymentActs`. */
  payments(act: PaymentActName, input: unknown): Promise<object>
  /** Passes the payments of some days to `onPayment`, oldest first, with wire names; stops when the signal aborts. */
  exportPayments(
    days: PaymentDays,
    onPayment: (payment: object) => void | Promise<void>,
    signal?: AbortSignal,
  ): Promise<void>
  /** Finishes the operations that other processes run through the socket, then releases the folder. */
  close(): Promise<void>
}

/** A data folder that this process has opened and locked. */
export interface LocalDataFolder extends DataFolder {
  /** Rejects URLs whose address `readLive` would refuse, before anything is charged. */
  checkLiveUrl: CheckLiveUrl
  /** Totals of the crawls that this process has run. */
  crawls: CrawlTotals
  /** Returns the accounts and opens them on the first call. */
  access(): Promise<Access>
  /**
   * Starts taking payments. Returns `undefined` if the folder was opened without `payments`. Call it at most once.
   *
   * @throws ASOF_INVALID_OPTION - `payments.regions` is missing or can't be used.
   * @throws ServiceError invalid_request - with these settings no payment could ever succeed.
   */
  takePayments(): Promise<Payments | undefined>
  /**
   * Starts selling plans. Returns `undefined` if there is no way to pay for them. Call it at most once.
   *
   * @param payments - the result of {@link takePayments}.
   * @throws ASOF_PACKAGE_MISSING - mppx or stripe is needed and not installed.
   */
  sellPlans(payments: Payments | undefined): Promise<Purchases | undefined>
  /**
   * Starts checking the wallets of callers who ask for a quote. Returns `undefined` if the folder was opened without
   * `payments` or without `purchases.mpp`. Call it at most once.
   *
   * @throws ASOF_PACKAGE_MISSING - mppx is not installed.
   */
  checkWallets(): Promise<WalletProof | undefined>
}
