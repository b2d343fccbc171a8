import type {
  CrawlJobErrorsResponse,
  CrawlJobPagesResponse,
  CrawlJobRequest,
  CrawlJobResponse,
  CrawlJobsResponse,
} from '../contract/crawl-job-schemas.ts'

/** The crawls of the organization that makes a request, as its key and the instant that the request names let it see them. */
export interface CallerCrawls {
  /**
   * Starts a crawl.
   *
   * @param note - what a dialect wants to know when the crawl is read. Default: nothing.
   * @throws as `CrawlJobs.start` does.
   */
  start(request: CrawlJobRequest, note?: string): Promise<CrawlJobResponse>
  /** @throws ServiceError not_found */
  read(id: string, cursor?: string): Promise<CrawlJobPagesResponse>
  /** Returns the note of a crawl. @throws ServiceError not_found */
  noteOf(id: string): Promise<string | undefined>
  /** @throws ServiceError not_found */
  errors(id: string, cursor?: string): Promise<CrawlJobErrorsResponse>
  /** @throws ServiceError not_found */
  cancel(id: string): Promise<CrawlJobResponse>
  list(): Promise<CrawlJobsResponse>
  /** Waits until a crawl that this request has started has ended, at most until the signal aborts. */
  ended(id: string, signal: AbortSignal): Promise<void>
}
