import type { CrawledPage } from '../contract/crawl-job-schemas.ts'
import { ServiceError } from '../contract/errors.ts'
import { keyText, type RecordChange, type RecordLocks, type RecordStore, type RecordTable } from '../records/records.ts'
import type { CrawlJob, FailedPage } from './job.ts'

/** How much one organization may crawl. */
export interface JobLimits {
  /** Number of jobs that run at a time. */
  running: number
  /** Number of pages of one job. */
  pages: number
  /** Number of pages in any 24 hours, also of those that could not be read. A running job counts with its limit. */
  pagesPerDay: number
  /** How long the pages of a job can be read after it was made, ms. */
  keepMs: number
}

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
/** Number of records that are deleted in one change. */
const DELETED_AT_ONCE = 100
/** Number of jobs of an organization that are listed. */
const LISTED = 100
/** When to try again while jobs are running, seconds. */
const RETRY_SECONDS = 5

interface Numbered<Value> {
  job: string
  number: number
  value: Value
}

const jobs: RecordTable<CrawlJob, 'organization' | 'expiry'> = {
  name: 'crawl_job',
  id: ({ id }) => [id],
  keys: {
    organization: ({ organization, madeAt }) => [organization, madeAt],
    expiry: ({ expiresAt }) => [expiresAt],
  },
}

/** The pages and failures of a job, numbered from 0. */
const pages: RecordTable<Numbered<CrawledPage>, never> = {
  name: 'crawl_job_page',
  id: ({ job, number }) => [job, number],
  keys: {},
}
const failures: RecordTable<Numbered<FailedPage>, never> = {
  name: 'crawl_job_failure',
  id: ({ job, number }) => [job, number],
  keys: {},
}

/** How much an organization is crawling, and has crawled. */
interface Standing {
  organization: string
  /** The ids of its running jobs. */
  running: string[]
  /** Pages of the jobs that were made in an hour, which is a number of hours since the epoch. */
  hours: { hour: number; pages: number }[]
}
const standings: RecordTable<Standing, never> = {
  name: 'crawl_job_standing',
  id: ({ organization }) => [organization],
  keys: {},
}

const hourOf = (at: number): number => Math.floor(at / HOUR_MS)

function noneOf(organization: string): Standing {
  return { organization, running: [], hours: [] }
}

async function standingOf(change: RecordChange, organization: string): Promise<Standing> {
  const fresh = noneOf(organization)
  const known = await change.find(standings, [organization])
  if (known) return known
  await change.add(standings, fresh)
  // Another server may have added it first, and changed it since.
  return (await change.find(standings, [organization])) ?? fresh
}

/** The jobs of all organizations with their pages, durably. The server that runs a job has its lock, so a job without a lock has lost its server. */
export class JobStore {
  readonly #records: RecordStore
  readonly #locks: RecordLocks

  private constructor(records: RecordStore, locks: RecordLocks) {
    this.#records = records
    this.#locks = locks
  }

  /** Opens the jobs in some records, which are closed with it. @throws ASOF_STORE_WRITE | ASOF_STORE_FORMAT */
  static async open(records: RecordStore): Promise<JobStore> {
    await records.define('crawl_jobs', [jobs, pages, failures, standings])
    return new JobStore(records, await records.locks('crawl job'))
  }

  /**
   * Checks that a job could be added now.
   *
   * @throws as {@link make} does.
   */
  async checkRoom(job: CrawlJob, limits: JobLimits): Promise<void> {
    standingWith((await this.#records.find(standings, [job.organization])) ?? noneOf(job.organization), job, limits)
  }

  /**
   * Adds a job, which this server runs from now on.
   *
   * @throws ServiceError rate_limited - the organization crawls as much as it may.
   */
  async make(job: CrawlJob, limits: JobLimits): Promise<void> {
    await this.#locks.lock(job.id)
    try {
      await this.#records.change(async change => {
        await change.put(standings, standingWith(await standingOf(change, job.organization), job, limits))
        await change.put(jobs, job)
      })
    } catch (failure) {
      await this.#locks.unlock(job.id)
      throw failure
    }
  }

  find(id: string): Promise<CrawlJob | undefined> {
    return this.#records.find(jobs, [id])
  }

  /** Adds a page to a job that this server runs. Returns false if the job has ended meanwhile. */
  deliver(id: string, page: CrawledPage): Promise<boolean> {
    return this.#add(id, async (change, job) => {
      await change.put(pages, { job: id, number: job.delivered, value: page })
      await change.put(jobs, { ...job, delivered: job.delivered + 1 })
    })
  }

  /** Adds a page that could not be read. Returns false if the job has ended meanwhile. */
  fail(id: string, failure: FailedPage): Promise<boolean> {
    return this.#add(id, async (change, job) => {
      await change.put(failures, { job: id, number: job.failed, value: failure })
      await change.put(jobs, { ...job, failed: job.failed + 1 })
    })
  }

  #add(id: string, add: (change: RecordChange, job: CrawlJob) => Promise<void>): Promise<boolean> {
    return this.#locks.change(id, async change => {
      const job = await change.find(jobs, [id])
      if (job?.state !== 'running') return false
      await add(change, job)
      return true
    })
  }

  /**
   * Ends a running job. Of its limit, the pages that it tried to read still count towards the pages a day of its organization, at least one.
   * Does nothing if the job has ended before.
   */
  async end(id: string, end: Pick<CrawlJob, 'state' | 'endedAt' | 'failure'>): Promise<void> {
    await this.#records.change(async change => {
      const job = await change.find(jobs, [id])
      if (job?.state !== 'running') return
      const { organization, madeAt, limit, delivered, failed } = job
      const standing = await standingOf(change, organization)
      await change.put(standings, {
        organization,
        running: standing.running.filter(other => other !== id),
        hours: withPages(standing.hours, hourOf(madeAt), Math.max(1, delivered + failed) - limit),
      })
      await change.put(jobs, { ...job, ...end })
    })
  }

  /** Ends the lock of a job that this server has run. */
  async release(id: string): Promise<void> {
    await this.#locks.unlock(id)
  }

  /** Ends the jobs of an organization whose server has stopped. */
  async endLost(organization: string, now: number): Promise<void> {
    const standing = await this.#records.find(standings, [organization])
    for (const id of standing?.running ?? [])
      if (!(await this.#locks.isLocked(id)))
        await this.end(id, {
          state: 'failed',
          endedAt: now,
          failure: 'The server was stopped before the job had ended.',
        })
  }

  /** Lists the last jobs of an organization, newest first. */
  list(organization: string): Promise<CrawlJob[]> {
    return this.#records.list(jobs, { by: 'organization', under: [organization], limit: LISTED, reverse: true })
  }

  /** Lists the pages of a job from a number on. */
  pages(id: string, from: number, limit: number): Promise<CrawledPage[]> {
    return this.#valuesOf(pages, id, from, limit)
  }

  /** Lists the pages of a job that could not be read, from a number on. */
  failures(id: string, from: number, limit: number): Promise<FailedPage[]> {
    return this.#valuesOf(failures, id, from, limit)
  }

  async #valuesOf<Value>(
    table: RecordTable<Numbered<Value>, never>,
    id: string,
    from: number,
    limit: number,
  ): Promise<Value[]> {
    const after = from === 0 ? undefined : keyText([id, from - 1])
    return (await this.#records.list(table, { under: [id], after, limit })).map(({ value }) => value)
  }

  /** Deletes the jobs that have expired, with their pages. Stops when the signal aborts. */
  async deleteExpired(now: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [job] = await this.#records.list(jobs, { by: 'expiry', limit: 1 })
      if (!job || job.expiresAt > now) return
      // Its server may have stopped before it ended.
      await this.end(job.id, { state: 'failed', endedAt: now })
      await this.#deleteNumbered(pages, job.id)
      await this.#deleteNumbered(failures, job.id)
      await this.#records.change(change => change.delete(jobs, [job.id]))
    }
  }

  async #deleteNumbered<Value>(table: RecordTable<Numbered<Value>, never>, id: string): Promise<void> {
    for (;;) {
      const listed = await this.#records.list(table, { under: [id], limit: DELETED_AT_ONCE })
      if (listed.length === 0) return
      await this.#records.change(change => change.delete(table, ...listed.map(({ number }) => [id, number])))
    }
  }

  close(): Promise<void> {
    return this.#records.close()
  }
}

/** Returns the standing of an organization with one more job. @throws ServiceError rate_limited - it crawls as much as it may. */
function standingWith(
  { organization, running, hours }: Standing,
  { id, madeAt, limit }: CrawlJob,
  limits: JobLimits,
): Standing {
  if (running.length >= limits.running)
    throw new ServiceError('rate_limited', `At most ${limits.running} crawls of an organization run at a time.`, {
      retryAfterSeconds: RETRY_SECONDS,
    })
  const hour = hourOf(madeAt)
  const ofDay = hours.filter(each => each.hour > hour - DAY_HOURS)
  const left = limits.pagesPerDay - ofDay.reduce((sum, { pages: tried }) => sum + tried, 0)
  if (limit > left)
    throw new ServiceError(
      'rate_limited',
      `An organization may crawl ${limits.pagesPerDay} pages in 24 hours, of which ${Math.max(0, left)} are left.`,
      { retryAfterSeconds: HOUR_MS / 1_000 },
    )
  return { organization, running: [...running, id], hours: withPages(ofDay, hour, limit) }
}

/** Returns the pages of hours with more pages in one of them, or fewer. */
function withPages(hours: Standing['hours'], hour: number, more: number): Standing['hours'] {
  const { pages: before = 0 } = hours.find(each => each.hour === hour) ?? {}
  return [...hours.filter(each => each.hour !== hour), { hour, pages: before + more }]
}
