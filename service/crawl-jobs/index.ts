/** Crawls that organizations ask for, of the index as of an instant or of a site. */

export type { CallerCrawls } from './caller-crawls.ts'
export { CrawlJobs, defaultJobLimits, type JobReader } from './crawl-jobs.ts'
export type { JobLimits } from './job-store.ts'
export { SitePages, type SitePagesOptions } from './site-pages.ts'
