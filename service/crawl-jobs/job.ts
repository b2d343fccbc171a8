import type {
  CrawledPage,
  CrawlJobErrorsResponse,
  CrawlJobRequest,
  CrawlJobResponse,
} from '../contract/crawl-job-schemas.ts'
import type { ServiceError } from '../contract/errors.ts'
import { timestamp } from '../contract/wire-form.ts'

/** A crawl that an organization has asked for. */
export interface CrawlJob {
  /** Cannot be guessed. */
  id: string
  /** The id of the organization, which alone can read and cancel the job. */
  organization: string
  /** Where the job starts. Undefined for a list of pages. */
  url?: string | undefined
  /** The largest number of pages that the job can deliver. */
  limit: number
  /** What the way in of the caller wants to know when the job is read. */
  note?: string | undefined
  /** The instant of a job of the index, epoch ms. Undefined: the pages are fetched from their sites. */
  instant?: number | undefined
  state: CrawlJobResponse['state']
  /** Epoch ms. */
  madeAt: number
  /** Epoch ms. */
  endedAt?: number | undefined
  /** When the job and its pages are deleted, epoch ms. */
  expiresAt: number
  /** Why the job failed, for its organization. */
  failure?: string | undefined
  /** Number of pages that were delivered. */
  delivered: number
  /** Number of pages that could not be read. */
  failed: number
}

/** Which pages a job reads. Only the server that runs it needs them, so they are not stored: each page stores its job again. */
export type AskedPages = Omit<CrawlJobRequest, 'query_time' | 'limit'>

/** A page that could not be read. */
export type FailedPage = CrawlJobErrorsResponse['errors'][number]

/** What became of a URL of a job. */
export type Found =
  | { page: CrawledPage; url?: undefined; failure?: undefined }
  | { url: string; failure: ServiceError; page?: undefined }

/** Reads the pages of a job one after the other. Ends with the reason of the signal when it aborts. */
export type PagesOf = (job: CrawlJob, asked: AskedPages, signal: AbortSignal) => AsyncGenerator<Found, void, undefined>

/** Returns a job with the names of the wire. */
export function shownJob(job: CrawlJob): CrawlJobResponse {
  return {
    id: job.id,
    state: job.state,
    source: job.instant === undefined ? 'site' : 'index',
    url: job.url,
    query_time: timestamp(job.instant),
    limit: job.limit,
    delivered: job.delivered,
    failed: job.failed,
    made_at: timestamp(job.madeAt),
    ended_at: timestamp(job.endedAt),
    expires_at: timestamp(job.expiresAt),
    failure: job.failure,
  }
}
