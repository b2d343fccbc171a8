import { randomUUID } from 'node:crypto'
import type { BillingAccount } from '../accounts/charged-calls.ts'
import type { Hold } from '../accounts/ledger.ts'
import { refusedByRetention } from '../calls/caller-policy.ts'
import type { Service } from '../calls/service.ts'
import type {
  CrawlJobErrorsResponse,
  CrawlJobPagesResponse,
  CrawlJobRequest,
  CrawlJobResponse,
  CrawlJobsResponse,
} from '../contract/crawl-job-schemas.ts'
import { refusedFields, renamingFields, ServiceError, toServiceError, wireErrors } from '../contract/errors.ts'
import { checkFetchFields } from '../contract/request-check.ts'
import { limits } from '../contract/schema-parts.ts'
import type { Sku } from '../contract/sku.ts'
import { timestamp } from '../contract/wire-form.ts'
import type { RecordStore } from '../records/records.ts'
import { indexPages } from './index-pages.ts'
import { type CrawlJob, type PagesOf, shownJob } from './job.ts'
import { type JobLimits, JobStore } from './job-store.ts'
import type { SitePages } from './site-pages.ts'

const HOUR_MS = 3_600_000

export const defaultJobLimits: JobLimits = { running: 2, pages: 1_000, pagesPerDay: 10_000, keepMs: 24 * HOUR_MS }

/** Time for a job. A site that is slow, or asks for long pauses, must not keep credits reserved for ever. */
const JOB_MS = HOUR_MS
/** Number of jobs that one server runs at a time, for all organizations. */
const MAX_RUNNING = 64
/** Number of pages of a job that names none. */
const DEFAULT_LIMIT = 100
/** Number of pages that are read at a time. */
const READ_AT_ONCE = 10
/** Number of pages in an answer. */
const PAGES_SHOWN = 100
const ERRORS_SHOWN = 1_000
/** How often expired jobs are deleted. They can no longer be read before. */
const SWEEP_MS = 10 * 60_000

export interface CrawlJobsOptions {
  /** Opens the records of the jobs, when the first one is made or read. They are closed with the jobs. */
  openRecords: () => Promise<RecordStore>
  /** Reads pages from their sites. It is closed with the jobs. */
  site: Pick<SitePages, 'pages' | 'checkUrl' | 'close'>
  /** The clock, epoch ms. */
  now: () => number
  /** Default {@link defaultJobLimits}. */
  limits?: Partial<JobLimits>
  /** Called with a line for the operator about each job that failed unexpectedly, and about jobs that could not be deleted. */
  onNotice?: (line: string) => void
}

/** Who reads or cancels jobs. */
export interface JobReader {
  /** The id of the organization. */
  organization: string
  /** The latest instant that the caller may see, epoch ms. Undefined: also the present. */
  until?: number | undefined
}

/** Who asks for a job, and by which service it reads the index. */
export interface JobAsker {
  account: BillingAccount
  /** The service as the caller may use it. */
  service: Service
  /** What the way in of the caller wants to know when the job is read. Default: nothing. */
  note?: string | undefined
}

interface RunningJob {
  stop: AbortController
  ended: Promise<void>
}

/**
 * The crawl jobs of organizations. A job reads the pages of a site one after the other, from the index as of an instant or from the site, and stores them for
 * its organization alone. Each page is charged when it is delivered. The credits for all of them are held while the job runs.
 */
export class CrawlJobs {
  readonly #options: CrawlJobsOptions
  readonly #limits: JobLimits
  readonly #running = new Map<string, RunningJob>()
  readonly #closing = new AbortController()
  /** Number of jobs that run or are being made. */
  #count = 0
  #store: Promise<JobStore> | undefined
  #sweeps: NodeJS.Timeout | undefined
  /** The sweep that runs. Undefined if none does. */
  #sweeping: Promise<void> | undefined

  constructor(options: CrawlJobsOptions) {
    this.#options = options
    this.#limits = { ...defaultJobLimits, ...options.limits }
  }

  /**
   * Makes a job and runs it in the background.
   *
   * @throws ServiceError invalid_request | address_refused - about the fields.
   * @throws ServiceError zdr_unsupported_profile - the organization has zero data retention.
   * @throws ServiceError rate_limited | overloaded - the organization, or this server, runs as many jobs as it may.
   * @throws ServiceError insufficient_credits - the organization has fewer credits than the job has pages.
   */
  async start(request: CrawlJobRequest, asker: JobAsker): Promise<CrawlJobResponse> {
    const instant = await this.#check(request, asker.service)
    if (asker.account.zdr)
      throw refusedByRetention(
        'zdr_unsupported_profile',
        'url',
        'the pages of a crawl are stored, which is not possible',
      )
    if (this.#closing.signal.aborted || this.#count >= MAX_RUNNING)
      throw new ServiceError('overloaded', 'The server is running as many crawls as it can.', { retryAfterSeconds: 10 })
    this.#count += 1
    try {
      return await this.#make(request, instant, asker)
    } catch (failure) {
      this.#count -= 1
      throw failure
    }
  }

  async #make(
    { query_time: _, limit, ...asked }: CrawlJobRequest,
    instant: number | undefined,
    { account, service, note }: JobAsker,
  ): Promise<CrawlJobResponse> {
    const madeAt = this.#options.now()
    const job: CrawlJob = {
      id: randomUUID(),
      organization: account.client,
      url: asked.url,
      limit: this.#limitOf({ ...asked, limit }),
      note,
      instant,
      state: 'running',
      madeAt,
      expiresAt: madeAt + this.#limits.keepMs,
      delivered: 0,
      failed: 0,
    }
    const store = await this.#open()
    await store.endLost(job.organization, madeAt)
    // A flood of requests must not reserve credits each time, which takes a while in a database.
    await store.checkRoom(job, this.#limits)
    const holds = await reserve(account, job.limit)
    try {
      await store.make(job, this.#limits)
    } catch (failure) {
      await release(holds)
      throw failure
    }
    const stop = new AbortController()
    const pages = instant === undefined ? this.#options.site.pages : indexPages(service)
    const ended = this.#run(store, job, { pages: signal => pages(job, asked, signal), holds, stop }).finally(() => {
      this.#running.delete(job.id)
      this.#count -= 1
    })
    this.#running.set(job.id, { stop, ended })
    return shownJob(job)
  }

  /** Lists the jobs of an organization, newest first. */
  async list(reader: JobReader): Promise<CrawlJobsResponse> {
    const store = await this.#open()
    const now = this.#options.now()
    await store.endLost(reader.organization, now)
    const listed = await store.list(reader.organization)
    return { crawls: listed.filter(job => isShownTo(job, reader, now)).map(shownJob) }
  }

  /**
   * Returns a job with some of its pages.
   *
   * @param cursor - the `next` of the answer before. Default: the first pages.
   * @throws ServiceError not_found
   */
  async read(id: string, reader: JobReader, cursor?: string): Promise<CrawlJobPagesResponse> {
    const { store, job } = await this.#find(id, reader)
    const from = Number(cursor ?? 0)
    const pages: CrawlJobPagesResponse['pages'] = []
    let chars = 0
    while (pages.length < PAGES_SHOWN && chars < limits.contentChars.all) {
      const read = await store.pages(id, from + pages.length, READ_AT_ONCE)
      pages.push(...read)
      for (const { content } of read) chars += content.length
      if (read.length < READ_AT_ONCE) break
    }
    return { ...shownJob(job), pages, next: nextOf(job, from + pages.length, job.delivered) }
  }

  /** Returns the note of a job. @throws ServiceError not_found */
  async noteOf(id: string, reader: JobReader): Promise<string | undefined> {
    return (await this.#find(id, reader)).job.note
  }

  /**
   * Lists the pages of a job that could not be read, oldest first.
   *
   * @throws ServiceError not_found
   */
  async errors(id: string, reader: JobReader, cursor?: string): Promise<CrawlJobErrorsResponse> {
    const { store, job } = await this.#find(id, reader)
    const from = Number(cursor ?? 0)
    const errors = await store.failures(id, from, ERRORS_SHOWN)
    return { errors, next: nextOf(job, from + errors.length, job.failed) }
  }

  /**
   * Stops a job, whose further credits are given back. Its pages can still be read. Does nothing if the job has ended.
   *
   * @throws ServiceError not_found
   */
  async cancel(id: string, reader: JobReader): Promise<CrawlJobResponse> {
    const { store } = await this.#find(id, reader)
    await store.end(id, { state: 'cancelled', endedAt: this.#options.now() })
    // On another server, the job ends at its next page.
    const running = this.#running.get(id)
    running?.stop.abort()
    await running?.ended
    const { job } = await this.#find(id, reader)
    return shownJob(job)
  }

  /** Waits until a job of this server has ended, at most until the signal aborts. */
  async ended(id: string, signal: AbortSignal): Promise<void> {
    const { promise: aborted, resolve } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => resolve(), { once: true })
    if (!signal.aborted) await Promise.race([this.#running.get(id)?.ended, aborted])
  }

  /** Deletes what has expired, also of earlier processes. A failure is a notice, and the next sweep tries again. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#deleteExpired().finally(() => {
      this.#sweeping = undefined
    })
    return this.#sweeping
  }

  async #deleteExpired(): Promise<void> {
    const now = this.#options.now()
    try {
      const store = await this.#open()
      await store.deleteExpired(now, this.#closing.signal)
    } catch (failure) {
      this.#options.onNotice?.(`expired crawl jobs could not be deleted: ${String(failure)}`)
    }
  }

  /** Ends the running jobs as failed, and gives back their credits. */
  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#sweeps)
    await Promise.all([...this.#running.values()].map(({ ended }) => ended))
    await this.#sweeping
    await this.#options.site.close()
    // The caller who opened the store already got the failure.
    await (await this.#store?.catch(() => undefined))?.close()
  }

  /** Checks what the schema can't, and returns the instant of the job, epoch ms. Undefined for pages from their sites. */
  async #check(request: CrawlJobRequest, service: Service): Promise<number | undefined> {
    const { url, urls, query_time } = request
    const most = this.#limits.pages
    if (this.#limitOf(request) > most)
      throw refusedFields('invalid_request', [
        { path: urls ? 'urls' : 'limit', reason: `at most ${most} pages of one crawl` },
      ])
    if (url !== undefined && !/^https?:/i.test(url))
      throw refusedFields('invalid_request', [{ path: 'url', reason: 'must be an http or https URL' }])
    const instant = query_time === undefined ? service.sealedAt : undefined
    const live = query_time === undefined && instant === undefined
    const checks = { now: service.now, checkLiveUrl: (parsed: URL) => this.#options.site.checkUrl(parsed.href) }
    let named: number | undefined
    for (const [i, each] of (urls ?? [url ?? '']).entries())
      try {
        named = await checkFetchFields({ url: each, live, query_time }, checks)
      } catch (failure) {
        throw renamingFields(toServiceError(failure), path => (urls && path === 'url' ? `urls[${i}]` : path))
      }
    return named ?? instant
  }

  /** Returns the largest number of pages of a job. */
  #limitOf({ urls, limit }: Pick<CrawlJobRequest, 'urls' | 'limit'>): number {
    return urls?.length ?? limit ?? Math.min(DEFAULT_LIMIT, this.#limits.pages)
  }

  async #find(id: string, reader: JobReader): Promise<{ store: JobStore; job: CrawlJob }> {
    const store = await this.#open()
    const now = this.#options.now()
    await store.endLost(reader.organization, now)
    const job = await store.find(id)
    if (!job || !isShownTo(job, reader, now)) throw new ServiceError('not_found', 'There is no such crawl.')
    return { store, job }
  }

  async #run(
    store: JobStore,
    job: CrawlJob,
    {
      pages,
      holds,
      stop,
    }: { pages: (signal: AbortSignal) => ReturnType<PagesOf>; holds: Hold[]; stop: AbortController },
  ): Promise<void> {
    const { id } = job
    const late = AbortSignal.timeout(JOB_MS)
    const signal = AbortSignal.any([stop.signal, late, this.#closing.signal])
    const { now } = this.#options
    const sku: Sku = job.instant === undefined ? 'fetch.live' : 'fetch'
    const state: Pick<CrawlJob, 'state' | 'failure'> = { state: 'completed' }
    try {
      for await (const { page, url, failure } of pages(signal)) {
        const isRunning = page
          ? await store.deliver(id, page)
          : await store.fail(id, {
              url,
              error: wireErrors[failure.kind].error,
              message: failure.message,
              at: timestamp(now()),
            })
        if (!isRunning) break
        if (page) await holds.pop()?.capture(sku)
        if (holds.length === 0) break
      }
    } catch (failure) {
      state.state = 'failed'
      // A job that was cancelled has ended already.
      if (!stop.signal.aborted) state.failure = this.#reasonOf(failure, late)
    }
    try {
      await release(holds)
      await store.end(id, { ...state, endedAt: now() })
    } catch (failure) {
      // Without its lock the job counts as lost, and is ended when somebody asks for it.
      this.#options.onNotice?.(`the end of a crawl job could not be stored: ${String(failure)}`)
    } finally {
      await store.release(id).catch(() => undefined)
    }
  }

  /** Returns why a job failed, for its organization. Tells the operator if nobody expects it. */
  #reasonOf(failure: unknown, late: AbortSignal): string {
    if (this.#closing.signal.aborted) return 'The server was stopped before the job had ended.'
    if (late.aborted) return `The job took longer than ${JOB_MS / HOUR_MS} hour.`
    const error = toServiceError(failure)
    if (error.kind === 'internal_error') this.#options.onNotice?.(`a crawl job failed: ${String(error.cause ?? error)}`)
    return error.message
  }

  #open(): Promise<JobStore> {
    this.#store ??= this.#options
      .openRecords()
      .then(records => JobStore.open(records))
      .catch((error: unknown) => {
        // Lets the next call try again.
        this.#store = undefined
        throw error
      })
    this.#sweeps ??= setInterval(() => void this.sweep(), SWEEP_MS).unref()
    return this.#store
  }
}

/** True if a job is one of the organization, of nothing later than its caller may see, and has not expired. */
function isShownTo(job: CrawlJob, { organization, until }: JobReader, now: number): boolean {
  const isLater = until !== undefined && (job.instant === undefined || job.instant > until)
  return job.organization === organization && !isLater && job.expiresAt > now
}

/** Returns where a list of a job continues. A running job may still add to it. */
function nextOf({ state }: CrawlJob, at: number, end: number): string | undefined {
  return at < end || state === 'running' ? String(at) : undefined
}

/** Holds a credit for each page. @throws ServiceError insufficient_credits - the message says how many are missing. */
async function reserve(account: BillingAccount, count: number): Promise<Hold[]> {
  const holds: Hold[] = []
  try {
    while (holds.length < count) holds.push(await account.hold('fetch'))
    return holds
  } catch (failure) {
    await release(holds)
    const error = toServiceError(failure)
    if (error.kind !== 'insufficient_credits') throw failure
    throw new ServiceError(
      error.kind,
      `The crawl reserves a credit for each of ${count} pages, and ${holds.length} are left. Ask for fewer pages.`,
      { cause: failure },
    )
  }
}

async function release(holds: readonly Hold[]): Promise<void> {
  await Promise.all(holds.map(hold => hold.void()))
}
